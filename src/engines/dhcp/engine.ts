import type { DHCPServer } from '../../api/dhcpserver.ts'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'
import type { Engine, EngineContext } from '../engine.ts'
import { readSettings } from './config.ts'
import { type Disk, realDisk } from './journal/files.ts'
import type { LeaseStore } from './journal/lease-store.ts'
import { openLeaseStore } from './journal/open.ts'
import { type BindingCounts, Bindings } from './leases/bindings.ts'
import type { Lease } from './leases/lease.ts'
import { type LeaseRecord, toRecord } from './leases/lease-record.ts'
import { DhcpCounters } from './server/counters.ts'
import { type Refusal, Refusals } from './server/refusals.ts'
import { DhcpService } from './server/service.ts'
import { DhcpSockets, type Ports, standardPorts } from './server/sockets.ts'
import { SteadyClock } from './server/steady-clock.ts'

export interface DhcpEngineOptions extends EngineContext {
  /** Where the leases are kept; this engine alone may write there. */
  readonly stateDir: string
  /**
   * Called when somebody has an address who did not have it before, or has it no more; not for mere renewals. An ended
   * lease is one whose state is not Active.
   */
  readonly onLeaseChange?: (lease: LeaseRecord) => void
  readonly ports?: Ports
  readonly disk?: Disk
  /** Milliseconds that only grow, for a clock that nobody can set. */
  readonly monotonicMs?: () => number
}

export interface DhcpEngineStatus {
  readonly servingGeneration?: number
  readonly activeLeases: number
  /** Size of the pool. */
  readonly totalLeases: number
  /** Percent of the pool that nobody new can have. */
  readonly poolUsage: number
  readonly leases: {
    readonly active: number
    readonly offered: number
    readonly expired: number
    readonly declined: number
  }
  /** The last ten, newest first. */
  readonly refusals: readonly Refusal[]
  readonly problems: readonly Problem[]
}

export interface DhcpEngine extends Engine<DHCPServer, DhcpEngineStatus> {
  leases(): LeaseRecord[]
}

export function createDhcpEngine(options: DhcpEngineOptions): DhcpEngine {
  return new EngineOfOneVlan(options)
}

const tickMs = 1000
const diskRetryMs = 1000
/** Even in a hurry, leases that are being written get this long. */
const shortestGraceMs = 1000
const noCounts: BindingCounts = { active: 0, offered: 0, expired: 0, declined: 0, poolSize: 0, poolUsed: 0 }

class EngineOfOneVlan implements DhcpEngine {
  readonly #options: DhcpEngineOptions
  readonly #clock: SteadyClock
  readonly #counters: DhcpCounters
  readonly #refusals = new Refusals()
  readonly #sockets: DhcpSockets
  #store: LeaseStore | undefined
  #storedLeases: readonly Lease[] = []
  #bindings: Bindings | undefined
  #service: DhcpService | undefined
  #ticker: NodeJS.Timeout | undefined

  constructor(options: DhcpEngineOptions) {
    const { metrics, now, ports = standardPorts, monotonicMs = () => performance.now() } = options
    const log = options.log.child({ component: 'dhcp' })
    this.#options = { ...options, log }
    this.#clock = new SteadyClock(now, monotonicMs)
    this.#counters = new DhcpCounters(
      metrics,
      () => this.#bindings?.counts() ?? noCounts,
      () => this.#store?.problem === undefined,
    )
    this.#sockets = new DhcpSockets(ports, {
      onPacket: (packet, from) => this.#service?.receive(packet, from),
      onError: (error) => {
        this.#counters.countSendError()
        log.debug({ error: error.message }, 'reply not sent')
      },
    })
  }

  async apply(resource: DHCPServer): Promise<Result<void>> {
    const settings = readSettings(resource)
    if (!settings.ok) return settings
    const stored = await this.#openStore()
    if (!stored.ok) return stored
    const opened = await this.#sockets.open(settings.value.serverAddress)
    if (!opened.ok) {
      return failed(...opened.problems.map((it) => ({ ...it, message: `${settings.value.title}: ${it.message}` })))
    }
    if (this.#service !== undefined) {
      this.#service.configure(settings.value)
      return ok()
    }
    const { log, ports = standardPorts, onLeaseChange } = this.#options
    this.#bindings = new Bindings(settings.value, this.#storedLeases)
    this.#bindings.sweep(this.#clock.nowMs())
    this.#storedLeases = []
    this.#service = new DhcpService(settings.value, {
      bindings: this.#bindings,
      store: stored.value,
      sockets: this.#sockets,
      ports,
      counters: this.#counters,
      refusals: this.#refusals,
      clock: this.#clock,
      log,
      onLeaseChange: (lease) => onLeaseChange?.(toRecord(lease)),
    })
    this.#ticker = setInterval(() => this.#tick(), tickMs).unref()
    return ok()
  }

  status(): DhcpEngineStatus {
    const { active, offered, expired, declined, poolSize, poolUsed } = this.#bindings?.counts() ?? noCounts
    const settings = this.#service?.settings
    const storeProblem = this.#store?.problem
    return {
      ...(settings?.generation !== undefined && { servingGeneration: settings.generation }),
      activeLeases: active,
      totalLeases: poolSize,
      poolUsage: poolSize === 0 ? 0 : Math.floor((100 * poolUsed) / poolSize),
      leases: { active, offered, expired, declined },
      refusals: this.#refusals.newestFirst(),
      problems: [
        ...(storeProblem === undefined ? [] : [storeProblem]),
        ...(poolSize > 0 && poolUsed >= poolSize ? [exhausted(settings?.title ?? '', poolSize)] : []),
      ],
    }
  }

  leases(): LeaseRecord[] {
    return (this.#bindings?.leases() ?? []).map(toRecord)
  }

  async stop(graceMs: number): Promise<void> {
    clearInterval(this.#ticker)
    this.#sockets.stopReceiving()
    const patience = AbortSignal.timeout(Math.max(graceMs, shortestGraceMs))
    await Promise.race([
      this.#store?.close(),
      new Promise((resolve) => patience.addEventListener('abort', resolve, { once: true })),
    ])
    this.#sockets.close()
    this.#service = undefined
    this.#store = undefined
  }

  async #openStore(): Promise<Result<LeaseStore>> {
    if (this.#store !== undefined) return ok(this.#store)
    const opened = await openLeaseStore(this.#options.stateDir, {
      disk: this.#options.disk ?? realDisk,
      log: this.#options.log,
      live: () => this.#bindings?.leases() ?? this.#storedLeases,
      onSync: this.#counters.observeSyncSeconds,
      monotonicMs: this.#options.monotonicMs ?? (() => performance.now()),
      retryAfterMs: diskRetryMs,
    })
    if (!opened.ok) return opened
    this.#store = opened.value.store
    this.#storedLeases = opened.value.leases
    return ok(opened.value.store)
  }

  #tick(): void {
    const steppedMs = this.#clock.takeStep()
    if (steppedMs !== 0) {
      this.#options.log.warn({ steppedMs }, 'the clock was set: leases are moved along with it')
      this.#bindings?.shiftTimes(steppedMs)
      this.#store?.rewrite()
    }
    this.#service?.passTime(this.#clock.nowMs())
  }
}

function exhausted(title: string, poolSize: number): Problem {
  return {
    reason: 'PoolExhausted',
    message: `${title}: all ${poolSize} addresses of the range are lent or set aside, so new clients get none: widen spec.leaseConfig.rangeStart to rangeEnd, or shorten leaseTime`,
    field: 'spec.leaseConfig',
  }
}
