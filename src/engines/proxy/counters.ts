import type { Metrics, Sample } from '../../runtime/observe/metrics.ts'
import { Tally } from './tally.ts'

/** What the metrics need to know of a connection that is still open. */
export interface OpenConnection {
  readonly port: number
  /** Empty until it is routed. */
  readonly backendName: string
  readonly bytesUp: number
  readonly bytesDown: number
}

/** The numbers of the proxy. Streams live for days, so their bytes are counted while they flow, not when they end. */
export class ProxyCounters {
  readonly observeConnectSeconds: (seconds: number) => void
  readonly #open: ReadonlySet<OpenConnection>
  readonly #connections = new Tally(['port', 'backend', 'outcome'])
  readonly #rejects = new Tally(['port', 'reason'])
  readonly #bytes = new Tally(['backend', 'direction'])

  constructor(metrics: Metrics, open: ReadonlySet<OpenConnection>, undecided: () => number) {
    this.#open = open
    metrics.counter(
      {
        name: 'oooi_proxy_connections_total',
        help: 'Connections that were routed to a backend and have ended, by how they ended.',
        labels: ['port', 'backend', 'outcome'],
      },
      () => this.#connections.samples(),
    )
    metrics.counter(
      {
        name: 'oooi_proxy_rejects_total',
        help: 'Connections that were closed without a backend, by reason.',
        labels: ['port', 'reason'],
      },
      () => this.#rejects.samples(),
    )
    metrics.counter(
      {
        name: 'oooi_proxy_bytes_total',
        help: 'Bytes relayed: up from clients, down to clients.',
        labels: ['backend', 'direction'],
      },
      () => this.#allBytes().samples(),
    )
    metrics.gauge(
      {
        name: 'oooi_proxy_open_connections',
        help: 'Connections now open; without a backend those not yet routed.',
        labels: ['port', 'backend'],
      },
      () => this.#openByBackend(),
    )
    metrics.gauge(
      { name: 'oooi_proxy_awaiting_hello', help: 'Connections whose ClientHello is not complete yet.' },
      () => [{ value: undecided() }],
    )
    this.observeConnectSeconds = metrics.histogram(
      { name: 'oooi_proxy_connect_seconds', help: 'Time from routing a connection to reaching its target.' },
      [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30],
    )
  }

  rejected(port: number, reason: string): void {
    this.#rejects.add(1, String(port), reason)
  }

  routed(connection: OpenConnection, outcome: string): void {
    this.#connections.add(1, String(connection.port), connection.backendName, outcome)
    addBytes(this.#bytes, connection)
  }

  #allBytes(): Tally {
    const all = this.#bytes.copy()
    for (const connection of this.#open) if (connection.backendName !== '') addBytes(all, connection)
    return all
  }

  #openByBackend(): Sample[] {
    const open = new Tally(['port', 'backend'])
    for (const { port, backendName } of this.#open) open.add(1, String(port), backendName)
    return open.samples()
  }
}

function addBytes(tally: Tally, { backendName, bytesUp, bytesDown }: OpenConnection): void {
  tally.add(bytesUp, backendName, 'up')
  tally.add(bytesDown, backendName, 'down')
}
