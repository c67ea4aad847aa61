import type { DNSServer } from '../../api/dnsserver.ts'
import { withheldDomains } from '../../core/dns/withheld.ts'
import { ok, type Result } from '../../core/result.ts'
import type { Engine, EngineContext, Release } from '../engine.ts'
import { ServerCookies } from './codec/cookie.ts'
import { type DnsConfig, readConfig } from './config.ts'
import { AnswerCache } from './forward/cache.ts'
import { Forwarder } from './forward/forwarder.ts'
import { expandUpstreams } from './forward/host-resolvers.ts'
import { RandomNumbers } from './forward/random.ts'
import { TargetAddresses } from './forward/target.ts'
import type { UpstreamAddress } from './forward/upstream-address.ts'
import { exposeMetrics, forwardDuration } from './metrics.ts'
import { AskedNames } from './server/asked-names.ts'
import { QueryCounters } from './server/counters.ts'
import { ListenerSet } from './server/listener-set.ts'
import { QueryLog } from './server/query-log.ts'
import { ReplyRateLimit } from './server/rate-limit.ts'
import { Responder, type ServedViews } from './server/responder.ts'
import type { TcpLimits } from './server/tcp.ts'
import { type DnsEngineStatus, statusOf } from './status.ts'
import { parseAddresses } from './zone/address.ts'
import { Horizon } from './zone/horizon.ts'
import { NameSet } from './zone/name-set.ts'
import { unknownAddresses } from './zone/records.ts'

export interface DnsEngineParts extends EngineContext {
  /** The text of this host's resolv.conf. */
  readonly readResolvConf: () => Promise<string>
  readonly fillRandom: (bytes: Uint8Array) => void
  /** Domains of the cluster this server runs in; machines on the VLAN learn nothing of them. */
  readonly clusterDomains: readonly string[]
  /** Its networks (CIDRs), whose reverse zones are withheld likewise. */
  readonly clusterNetworks: readonly string[]
  readonly cacheBytes: number
  /** How long one upstream is waited for before the next is asked as well. */
  readonly retryAfterMs: number
  readonly tcpLimits: TcpLimits
  /** PEM certificates of those who vouch for upstreams over TLS. */
  readonly authorities: () => readonly string[]
}

const drainPollMs = 10

/** Puts the parts together: the names, the sockets that answer for them, and the way to all other names. */
export class DnsEngine implements Engine<DNSServer, DnsEngineStatus> {
  readonly #parts: DnsEngineParts
  readonly #counters = new QueryCounters()
  readonly #cache: AnswerCache
  readonly #forwarder: Forwarder
  readonly #target: TargetAddresses
  readonly #horizon: Horizon
  readonly #queryLog: QueryLog
  readonly #askedNames: AskedNames
  readonly #responder: Responder
  readonly #listeners: ListenerSet
  readonly #withheld: { readonly vlan: NameSet; readonly pod: NameSet }
  #config: DnsConfig | undefined
  #reloadTimer: NodeJS.Timeout | undefined
  /** What the log has already: resolv.conf is read again and again. */
  #warnings: readonly string[] = []

  constructor(parts: DnsEngineParts) {
    const { log, metrics, now } = parts
    const random = new RandomNumbers(parts.fillRandom)
    const seed = random.int32()
    const domains = withheldDomains(parts.clusterDomains, parts.clusterNetworks, parts.podAddresses)
    this.#parts = parts
    this.#withheld = { vlan: new NameSet(seed, domains), pod: new NameSet(seed, []) }
    this.#cache = new AnswerCache(parts.cacheBytes)
    const observeSeconds = forwardDuration(metrics)
    const { retryAfterMs, authorities } = parts
    const cache = this.#cache
    this.#forwarder = new Forwarder({ cache, random, now, log, observeSeconds, retryAfterMs, authorities })
    const ask = this.#forwarder.ask.bind(this.#forwarder)
    this.#target = new TargetAddresses({ seed, ask, log, changed: () => this.#serveNames() })
    this.#horizon = new Horizon(seed)
    this.#queryLog = new QueryLog(log, now)
    this.#askedNames = new AskedNames(seed, now)
    this.#responder = new Responder({
      seed,
      cache: this.#cache,
      counters: this.#counters,
      cookies: new ServerCookies(() => random.bytes(16)),
      rateLimit: new ReplyRateLimit(random.int32()),
      queryLog: this.#queryLog,
      askedNames: this.#askedNames,
      now,
      ask,
    })
    const { tcpLimits, sockets } = parts
    const [responder, counters] = [this.#responder, this.#counters]
    this.#listeners = new ListenerSet({ responder, counters, now, tcpLimits, sockets })
    exposeMetrics(metrics, {
      counters: this.#counters,
      cache: this.#cache,
      forwarder: this.#forwarder,
      listeners: this.#listeners,
    })
  }

  async apply(resource: DNSServer): Promise<Result<void>> {
    const read = readConfig(resource, this.#parts.podAddresses)
    if (!read.ok) return read
    const config = read.value
    const upstreams = await this.#upstreamsOf(config)
    // The very first sockets must not meet a server without names.
    if (this.#config === undefined) this.#serve(config, upstreams)
    const wanted = config.listeners.map((listener) => ({ ...listener, port: config.port }))
    const prepared = await this.#listeners.prepare(wanted)
    if (!prepared.ok) return prepared
    this.#serve(config, upstreams)
    prepared.value()
    return ok()
  }

  /** Synchronous from here: a query sees all of the old version or all of the new one. */
  #serve(config: DnsConfig, upstreams: readonly UpstreamAddress[]): void {
    this.#config = config
    this.#queryLog.isOn = config.logsQueries
    this.#askedNames.watch(config.controlPlaneNames)
    this.#forwarder.configure(upstreams, config.longestTtlSeconds)
    this.#target.follow(config.internalProxy.type === 'name' ? config.internalProxy.name : undefined)
    this.#serveNames()
    clearTimeout(this.#reloadTimer)
    if (config.upstreams.includes('resolv.conf')) this.#reloadLater(config)
  }

  #serveNames(): void {
    const config = this.#config
    if (config === undefined) return
    const { internalProxy } = config
    const proxy =
      internalProxy.type === 'addresses'
        ? parseAddresses(internalProxy.addresses)
        : (this.#target.addresses ?? unknownAddresses)
    const key = `${config.zoneKey} ${proxy === unknownAddresses ? proxy : proxy.map(({ bytes }) => bytes.join('.')).join()}`
    const { views, shadowed } = this.#horizon.update(
      key,
      (serial) => config.zoneSource(proxy, serial),
      config.machines,
      Math.floor(this.#parts.now() / 1000),
    )
    if (shadowed.length > 0) {
      const names = shadowed.slice(0, 10)
      this.#parts.log.warn({ names, count: shadowed.length }, 'names of machines that fixed names take precedence over')
    }
    const { forwards } = config
    const served: ServedViews = {
      vlan: { names: views.vlan, forwards, withheld: this.#withheld.vlan },
      pod: { names: views.pod, forwards, withheld: this.#withheld.pod },
    }
    this.#responder.serve(served)
  }

  async #upstreamsOf(config: DnsConfig): Promise<readonly UpstreamAddress[]> {
    const { readResolvConf, log } = this.#parts
    const isOurs = ({ address, port }: UpstreamAddress) =>
      port === config.port && config.listeners.some((listener) => listener.address === address)
    const { upstreams, warnings } = await expandUpstreams(config.upstreams, readResolvConf, isOurs)
    for (const warning of warnings) if (!this.#warnings.includes(warning)) log.warn(warning)
    this.#warnings = warnings
    return upstreams
  }

  /** A host may get other resolvers at any time, and nobody tells us. */
  #reloadLater(config: DnsConfig): void {
    this.#reloadTimer = setTimeout(() => {
      void this.#upstreamsOf(config).then((upstreams) => {
        if (this.#config !== config) return
        this.#forwarder.configure(upstreams, config.longestTtlSeconds)
        this.#reloadLater(config)
      })
    }, config.reloadMs).unref()
  }

  status(): DnsEngineStatus {
    return statusOf({
      config: this.#config,
      listeners: this.#listeners.all,
      horizon: this.#horizon,
      forwarder: this.#forwarder,
      cache: this.#cache,
      counters: this.#counters,
      targetIsKnown: this.#target.addresses !== undefined,
      askedNames: this.#askedNames,
    })
  }

  async release(graceMs: number): Promise<Release> {
    return { left: await this.#listeners.release(), drained: this.#drain(graceMs) }
  }

  /** A client over TCP ends its connection itself, or is idle for too long. */
  async #drain(graceMs: number): Promise<void> {
    await untilNone(() => this.#listeners.connectionCount, graceMs)
    await this.stop(0)
  }

  async stop(graceMs: number): Promise<void> {
    this.#config = undefined
    clearTimeout(this.#reloadTimer)
    this.#target.stop()
    this.#listeners.stopAccepting()
    await untilNone(() => this.#forwarder.inFlightCount, graceMs)
    this.#listeners.close()
    this.#forwarder.stop()
  }
}

/** Or until the time is over. */
async function untilNone(count: () => number, withinMs: number): Promise<void> {
  const deadlineMs = performance.now() + withinMs
  while (count() > 0 && performance.now() < deadlineMs) {
    await new Promise((resolve) => setTimeout(resolve, drainPollMs))
  }
}
