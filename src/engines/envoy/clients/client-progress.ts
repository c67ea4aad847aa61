import { reportIntervalMs } from '../../../core/proxy/envoy/tuning.ts'
import type { PortRoutes } from '../../../core/proxy/routes.ts'
import { type Sighting, Sightings } from '../../../core/trace/sightings.ts'
import type { ConnectionEntry } from './access-log-service.ts'
import { connectionReportOf } from './connection-report.ts'

/** Envoy holds entries back for a second, and our own start takes some. */
const catchUpMs = reportIntervalMs + 10_000

/** How far the machines of the VLAN came, from what Envoy tells of their connections. */
export class ClientProgress {
  readonly #sightings = new Sightings()
  readonly #now: () => number
  readonly #startedAtMs: number
  #ports: ReadonlyMap<number, PortRoutes> = new Map()
  #backends: ReadonlySet<string> = new Set()

  constructor(now: () => number) {
    this.#now = now
    this.#startedAtMs = now()
  }

  /** What Envoy is told to serve from now on. */
  follow(ports: ReadonlyMap<number, PortRoutes>, backends: Iterable<string>): void {
    this.#ports = ports
    this.#backends = new Set(backends)
  }

  note(entries: readonly ConnectionEntry[]): void {
    const nowMs = this.#now()
    for (const entry of entries) {
      const report = connectionReportOf(entry, this.#ports)
      if (report === undefined || !this.#backends.has(report.backend)) continue
      const { client, backend, error } = report
      if (error === undefined) this.#sightings.reached(client, backend, nowMs)
      else this.#sightings.failed(client, backend, error, nowMs)
    }
  }

  /**
   * Undefined while it is not known: without an Envoy, and beside one that served before this process began, until it has
   * told of all its connections. Machines that are connected for hours would look as if they had never come.
   */
  list(envoy: { readonly connected: number; readonly wasTaughtBefore: boolean }): Sighting[] | undefined {
    const nowMs = this.#now()
    const isCatchingUp = envoy.wasTaughtBefore && nowMs - this.#startedAtMs < catchUpMs
    return envoy.connected === 0 || isCatchingUp ? undefined : this.#sightings.list(nowMs)
  }
}
