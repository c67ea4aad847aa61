import { readFile } from 'node:fs/promises'
import type { DHCPServer } from '../../api/dhcpserver.ts'
import { formatIpv4, parseIpv4 } from '../../core/net/ipv4.ts'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'
import type { Engine, EngineContext, Release } from '../engine.ts'
import { neighbourTable } from '../neighbours/table.ts'
import { exclusiveSockets } from '../sockets/exclusive.ts'
import { readSettings } from './config.ts'
import { type Disk, realDisk } from './journal/files.ts'
import type { LeaseStore } from './journal/lease-store.ts'
import { type OpenedStore, openLeaseStore } from './journal/open.ts'
import { type BindingCounts, Bindings } from './leases/bindings.ts'
import type { Lease } from './leases/lease.ts'
import { fromRecord, type LeaseRecord, toRecord } from './leases/lease-record.ts'
import { unknownLease } from './leases/unknown-lease.ts'
import { type LeaseMirror, mirroredStore } from './mirror/lease-mirror.ts'
import { mergeLeases } from './mirror/merge.ts'
import { poolProblems } from './pool-problems.ts'
import { DhcpCounters } from './server/counters.ts'
import { OtherServers } from './server/other-servers.ts'
import { Prober } from './server/prober.ts'
import { type Refusal, Refusals } from './server/refusals.ts'
import { DhcpService } from './server/service.ts'
import { DhcpSockets, type Ports, standardPorts } from './server/sockets.ts'
import { SteadyClock } from './server/steady-clock.ts'
import { warningsOf } from './warnings.ts'

export interface DhcpEngineOptions extends EngineContext {
  /** Where the leases are kept; this engine alone may write there. */
  readonly stateDir: string
  /**
   * Called when somebody has an address who did not have it before, or has it no more; not for mere renewals. An ended
   * lease is one whose state is not Active.
   */
  readonly onLeaseChange?: (lease: LeaseRecord) => void
  /** Where leases are kept besides the journal. */
  readonly mirror?: LeaseMirror
  readonly ports?: Ports
  readonly disk?: Disk
  /** The kernel's neighbour table. */
  readonly neighbours?: () => Promise<string>
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
  /** What a person should know though it keeps nobody from being served. */
  readonly warnings: readonly Problem[]
}

export interface DhcpEngine extends Engine<DHCPServer, DhcpEngineStatus> {
  leases(): LeaseRecord[]
  /** End the lease of an address; see `evicted`. */
  evict(address: string): Promise<Result<void>>
}

export function createDhcpEngine(options: DhcpEngineOptions): DhcpEngine {
  return new EngineOfOneVlan(options)
}

const tickMs = 1000
/** RFC 863: whoever listens there throws away what comes. */
const discardPort = 9
const diskRetryMs = 1000
/** Even in a hurry, leases that are being written get this long. */
const shortestGraceMs = 1000
const noCounts: BindingCounts = { active: 0, offered: 0, expired: 0, declined: 0, poolSize: 0, poolUsed: 0 }

class EngineOfOneVlan implements DhcpEngine {
  readonly #options: DhcpEngineOptions
  readonly #clock: SteadyClock
  readonly #counters: DhcpCounters
  readonly #refusals = new Refusals()
  readonly #otherServers = new OtherServers()
  readonly #sockets: DhcpSockets
  readonly #prober: Prober
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
    this.#sockets = new DhcpSockets(options.sockets ?? exclusiveSockets, ports, {
      onPacket: (packet, from) => this.#service?.receive(packet, from),
      onError: (error) => {
        this.#counters.countSendError()
        log.debug({ error: error.message }, 'reply not sent')
      },
    })
    this.#prober = new Prober({
      knock: (address) => this.#sockets.send(Buffer.alloc(1), discardPort, formatIpv4(address)),
      neighbours: options.neighbours ?? (() => readFile(neighbourTable, 'latin1')),
      monotonicMs,
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
      this.#sockets.receive()
      for (const { reason, message } of this.#warnings()) this.#options.log.warn({ reason }, message)
      return ok()
    }
    const { log, ports = standardPorts, onLeaseChange, mirror, monotonicMs = () => performance.now() } = this.#options
    this.#bindings = new Bindings(settings.value, this.#storedLeases)
    this.#bindings.sweep(this.#clock.nowMs())
    this.#storedLeases = []
    this.#service = new DhcpService(settings.value, {
      bindings: this.#bindings,
      store: stored.value,
      sockets: this.#sockets,
      prober: this.#prober,
      ports,
      counters: this.#counters,
      refusals: this.#refusals,
      otherServers: this.#otherServers,
      clock: this.#clock,
      monotonicMs,
      log,
      onLeaseChange: (lease) => {
        void mirror?.keep([toRecord(lease)])
        onLeaseChange?.(toRecord(lease))
      },
    })
    this.#ticker = setInterval(() => this.#tick(), tickMs).unref()
    this.#sockets.receive()
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
        ...(settings === undefined ? [] : poolProblems(settings, poolSize, poolUsed)),
      ],
      warnings: this.#warnings(),
    }
  }

  #warnings(): Problem[] {
    if (this.#bindings === undefined || this.#service === undefined) return []
    const { title, authoritative } = this.#service.settings
    const otherServers = authoritative ? this.#otherServers.heardOf(this.#clock.nowMs()) : []
    return warningsOf({ title, misplaced: this.#bindings.misplaced(), inUse: this.#bindings.declined(), otherServers })
  }

  leases(): LeaseRecord[] {
    return (this.#bindings?.leases() ?? []).map(toRecord)
  }

  async evict(text: string): Promise<Result<void>> {
    const address = parseIpv4(text)
    const lease = address === undefined ? undefined : this.#bindings?.evict(address, this.#clock.nowMs())
    const store = this.#store
    if (lease === undefined || store === undefined) return failed(unknownLease(text))
    this.#options.onLeaseChange?.(toRecord(lease))
    const isStored = await new Promise<boolean>((resolve) => store.append([lease], resolve))
    return isStored || store.problem === undefined ? ok() : failed(store.problem)
  }

  async stop(graceMs: number): Promise<void> {
    clearInterval(this.#ticker)
    this.#prober.close()
    this.#sockets.stopReceiving()
    await this.#closeStore(graceMs)
    this.#sockets.close()
    this.#service = undefined
  }

  async release(graceMs: number): Promise<Release> {
    clearInterval(this.#ticker)
    const sockets = await this.#sockets.release()
    const unanswered = this.#service?.unanswered ?? []
    this.#prober.close()
    await this.#closeStore(graceMs)
    const left = await sockets.left(unanswered)
    this.#service = undefined
    return { left, drained: Promise.resolve() }
  }

  /** Leases that are being written are written, and acknowledged. */
  async #closeStore(graceMs: number): Promise<void> {
    const patience = AbortSignal.timeout(Math.max(graceMs, shortestGraceMs))
    await Promise.race([
      this.#store?.close(),
      new Promise((resolve) => patience.addEventListener('abort', resolve, { once: true })),
    ])
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
      onRequest: (request) => this.#answerRequest(request),
    })
    if (!opened.ok) return opened
    const { mirror } = this.#options
    return mirror === undefined ? this.#useStore(opened.value) : this.#useMirroredStore(opened.value, mirror)
  }

  #useStore({ store, leases }: OpenedStore): Result<LeaseStore> {
    this.#store = store
    this.#storedLeases = leases
    return ok(store)
  }

  async #useMirroredStore({ store, leases }: OpenedStore, mirror: LeaseMirror): Promise<Result<LeaseStore>> {
    const loaded = await mirror.load()
    if (!loaded.ok) {
      await store.close()
      return loaded
    }
    const mirrored = loaded.value.flatMap((record) => fromRecord(record) ?? [])
    const merged = mergeLeases(leases, mirrored)
    const ended = merged.lost.map((lease) => ({ ...lease, state: 'Released' as const }))
    const known = new Set(leases)
    const news = merged.leases.filter((lease) => !known.has(lease))
    if (await new Promise<boolean>((resolve) => store.append(news, resolve))) mirror.adopted()
    void mirror.keep([...merged.leases, ...ended].map(toRecord))
    return this.#useStore({ store: mirroredStore(store, mirror), leases: merged.leases })
  }

  /** From `oooi leases evict`, which finds the state directory taken by this process. */
  async #answerRequest(request: string): Promise<Result<void>> {
    const [verb, address = ''] = request.split(' ')
    return verb === 'evict' ? this.evict(address) : failed(unknownLease(request))
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
