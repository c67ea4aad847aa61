import { serverAddressesOf } from '../../api/network.ts'
import type { ProxyServer } from '../../api/proxyserver.ts'
import { withObservation } from '../../core/proxy/envoy/observe.ts'
import { envoyResourcesOf, namedTargetsOf } from '../../core/proxy/envoy/resources.ts'
import { listenAddressesOf } from '../../core/proxy/listen-addresses.ts'
import type { TargetPolicy } from '../../core/proxy/target-policy.ts'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'
import type { BackendHealth } from '../../core/status/proxy.ts'
import type { Sighting } from '../../core/trace/sightings.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import { announce } from '../announce.ts'
import type { Engine, EngineContext, Release } from '../engine.ts'
import { listenProblem } from '../listen-problem.ts'
import { filesNotWritten } from '../program-directory.ts'
import { type Lookup, TargetResolver } from '../proxy/targets/target-resolver.ts'
import { Burst } from './burst.ts'
import { ClientProgress } from './clients/client-progress.ts'
import { cannotMove, notConnected, rejected } from './problems.ts'
import { EnvoyCare } from './program/envoy-care.ts'
import { LocalEnvoy, type LocalEnvoyOptions } from './program/local-envoy.ts'
import { TargetNames } from './target-names.ts'
import { snapshotOf } from './xds/snapshot.ts'
import { XdsServer } from './xds/xds-server.ts'

export interface EnvoyEngineOptions extends EngineContext, LocalEnvoyOptions {
  /** Where Envoy's own metrics may be read. */
  readonly metricsAt?: { readonly address: string; readonly port: number }
  /** For an Envoy beside this process: whether it is about to end too, and has to be drained. */
  readonly isEnvoyEnding?: () => Promise<boolean>
  readonly isTargetAllowed?: TargetPolicy
  /** Instead of the port in the object; 0 is any that is free. */
  readonly xdsPort?: number
  /** How often Envoy is told again what it rejected. */
  readonly retryRejectedMs?: number
  /** How often Envoy is asked how the targets are. */
  readonly askHealthMs?: number
  readonly lookup?: Lookup
}

export interface EnvoyEngineStatus {
  /** The newest generation that every Envoy has taken as a whole. */
  readonly servingGeneration?: number
  /** Does Envoy have the newest configuration, all of it? */
  readonly programmed: boolean
  readonly connectedEnvoys: number
  readonly listeners: readonly string[]
  readonly backends: readonly BackendHealth[]
  /** How far the machines of the VLAN came; absent while it is not known. */
  readonly clients?: readonly Sighting[]
  readonly problems: readonly Problem[]
}

export interface EnvoyEngine extends Engine<ProxyServer, EnvoyEngineStatus> {
  readonly envoyPid: number | undefined
  /** Ends the discovery service and leaves Envoy alone, which goes on with what it has. */
  closeDiscovery(): void
}

/** Envoy proxies, and oooi tells it how. */
export function createEnvoyEngine(options: EnvoyEngineOptions): EnvoyEngine {
  return new XdsEngine(options)
}

/** Changes within this time are told to Envoy together: each costs it memory until its drain time is over. */
const burstMs = 100

class XdsEngine implements EnvoyEngine {
  readonly #options: EnvoyEngineOptions
  readonly #log: Logger
  readonly #server: XdsServer
  readonly #progress: ClientProgress
  readonly #problems: { object: readonly Problem[] } = { object: [] }
  readonly #envoy: LocalEnvoy
  /** Where the discovery service is, as it was asked for; undefined before it is anywhere. */
  #askedPort: number | undefined
  readonly #publishing = new Burst(burstMs, () => this.#publish())
  readonly #announced = new Set<string>()
  #publishedGeneration: number | undefined
  #servingGeneration: number | undefined
  #told = ''
  #backends: readonly BackendHealth[] = []
  readonly #care: EnvoyCare
  readonly #targetNames: TargetNames
  #proxy: ProxyServer | undefined
  readonly #retryTimer: NodeJS.Timeout

  constructor(options: EnvoyEngineOptions) {
    this.#options = options
    this.#log = options.log.child({ component: 'envoy' })
    this.#envoy = new LocalEnvoy(options, this.#log)
    this.#progress = new ClientProgress(options.now)
    this.#server = new XdsServer({
      onChange: () => this.#onEnvoyChange(),
      onConnections: (entries) => this.#progress.note(entries),
    })
    this.#targetNames = new TargetNames(new TargetResolver(options.now, options.lookup), () => this.#publishing.call())
    this.#retryTimer = setInterval(() => this.#server.retryRejected(), options.retryRejectedMs ?? 10_000)
    this.#care = new EnvoyCare({
      adminSocket: () => this.#envoy.adminSocket,
      log: this.#log,
      askHealthMs: options.askHealthMs ?? 5000,
    })
    this.#register()
  }

  async apply(proxy: ProxyServer): Promise<Result<void>> {
    const addresses = listenAddressesOf(proxy)
    if (!addresses.ok) return addresses
    const opened = await this.#open(proxy)
    if (!opened.ok) return opened
    this.#proxy = proxy
    this.#tellLogLevel()
    await this.#targetNames.follow(namedTargetsOf(proxy, this.#options.isTargetAllowed))
    this.#publishing.call()
    return ok()
  }

  status(): EnvoyEngineStatus {
    const rejections = this.#server.rejections
    const clients = this.#progress.list(this.#server)
    return {
      ...(this.#servingGeneration === undefined ? {} : { servingGeneration: this.#servingGeneration }),
      programmed: !this.#publishing.isPending && this.#server.isConverged && rejections.length === 0,
      connectedEnvoys: this.#server.connected,
      ...(clients === undefined ? {} : { clients }),
      listeners: [...this.#server.snapshot.listeners.keys()],
      backends: this.#backends.map((backend) => ({ ...backend, ...this.#care.health.get(backend.name) })),
      problems: [
        ...this.#problems.object,
        ...rejections.map(rejected),
        ...(this.#askedPort !== undefined && this.#server.connected === 0 ? [notConnected] : []),
      ],
    }
  }

  get envoyPid(): number | undefined {
    return this.#envoy.pid
  }

  get programPid(): number | undefined {
    return this.#envoy.pid
  }

  /** An Envoy of ours is drained while the other process has its own; one beside us goes on, and is told what to do by that process. */
  async release(graceMs: number): Promise<Release> {
    if (this.#envoy.isOurs) return { left: [], drained: this.stop(graceMs) }
    await this.stop(0)
    return { left: [], drained: Promise.resolve() }
  }

  async stop(graceMs: number): Promise<void> {
    this.#care.stop()
    await this.#envoy.stop(graceMs)
    const { isEnvoyEnding } = this.#options
    if (graceMs > 0 && (await isEnvoyEnding?.())) await this.#care.drain(graceMs)
    this.closeDiscovery()
    await this.#envoy.leaveDirectory()
  }

  closeDiscovery(): void {
    clearInterval(this.#retryTimer)
    this.#publishing.stop()
    this.#targetNames.stop()
    this.#server.close()
  }

  #publish(): void {
    const proxy = this.#proxy
    if (proxy === undefined) return
    this.#announce(serverAddressesOf(proxy.spec.networkConfig))
    const { podAddresses, isTargetAllowed } = this.#options
    const resources = envoyResourcesOf(proxy, {
      podAddresses,
      endpoints: 'discovered',
      addresses: this.#targetNames.addresses,
      ...(isTargetAllowed ? { isTargetAllowed } : {}),
    })
    const { metricsAt } = this.#options
    const { adminSocket } = this.#envoy
    const all = metricsAt ? withObservation(resources, { ...metricsAt, adminSocket }) : resources
    this.#problems.object = resources.problems
    this.#progress.follow(resources.ports, resources.targetCounts.keys())
    this.#backends = [...resources.targetCounts].map(([name, endpoints]) => ({
      name,
      endpoints,
      healthy: 0,
      untried: endpoints,
    }))
    this.#publishedGeneration = proxy.metadata.generation
    this.#server.publish(snapshotOf(all, this.#server.snapshot))
    this.#onEnvoyChange()
  }

  /** Once: the port is what a running Envoy knows, so it stays for as long as this engine lives. */
  async #open(proxy: ProxyServer): Promise<Result<void>> {
    const xdsPort = this.#options.xdsPort ?? proxy.spec.xdsPort
    if (this.#askedPort === xdsPort) return ok()
    if (this.#askedPort !== undefined) return failed(cannotMove(proxy, this.#askedPort))
    const bound = await this.#listen(xdsPort)
    if (!bound.ok) return bound
    try {
      await this.#envoy.start(bound.value, nodeIdOf(proxy))
    } catch (error) {
      return failed(filesNotWritten('Envoy', error))
    }
    this.#askedPort = xdsPort
    return ok()
  }

  /** Nobody but the Envoy that it runs has to know the port of an oooi, so any will do while an earlier oooi has that one. */
  async #listen(xdsPort: number): Promise<Result<number>> {
    const listening = this.#server.listen(xdsPort)
    try {
      return ok(await (this.#envoy.isOurs ? listening.catch(() => this.#server.listen(0)) : listening))
    } catch (error) {
      const place = { who: 'The discovery service', address: '127.0.0.1', port: xdsPort }
      return failed(listenProblem(place, error instanceof Error ? error : new Error(String(error))))
    }
  }

  /** Envoy listens at them, but nobody tells the neighbours that they moved here, as a listener of ours would. */
  #announce(addresses: readonly string[]): void {
    for (const address of addresses.filter((one) => !this.#announced.has(one))) {
      this.#announced.add(address)
      announce(address)
    }
  }

  #tellLogLevel(): void {
    this.#care.tellLogLevel(this.#proxy?.spec.logLevel, this.#server.connected > 0)
  }

  #onEnvoyChange(): void {
    const { programmed, problems, connectedEnvoys } = this.status()
    this.#tellLogLevel()
    if (programmed) this.#servingGeneration = this.#publishedGeneration
    const told = JSON.stringify({ programmed, connectedEnvoys, problems })
    if (told === this.#told) return
    this.#told = told
    if (programmed) this.#log.info({ connectedEnvoys, problems }, 'Envoy has the newest configuration')
    else if (this.#server.rejections.length > 0) this.#log.error({ problems }, 'Envoy rejects its configuration')
  }

  #register(): void {
    const { metrics } = this.#options
    metrics.gauge({ name: 'oooi_envoy_connected', help: 'Envoys that are connected to the discovery service.' }, () => [
      { value: this.#server.connected },
    ])
    metrics.gauge(
      { name: 'oooi_envoy_programmed', help: '1 when Envoy has the newest configuration, all of it.' },
      () => [{ value: this.status().programmed ? 1 : 0 }],
    )
    metrics.counter(
      { name: 'oooi_envoy_answers_total', help: 'Answers of Envoy to its configuration.', labels: ['answer'] },
      () => [
        { labels: { answer: 'accepted' }, value: this.#server.accepted },
        { labels: { answer: 'rejected' }, value: this.#server.rejected },
      ],
    )
  }
}

function nodeIdOf({ metadata }: ProxyServer): string {
  return `${metadata.namespace ?? 'default'}/${metadata.name}`
}
