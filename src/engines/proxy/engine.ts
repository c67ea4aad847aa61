import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ProxyServer } from '../../api/proxyserver.ts'
import type { Backend } from '../../core/proxy/backend.ts'
import { listenAddressesOf } from '../../core/proxy/listen-addresses.ts'
import { listenerPlans, type Side } from '../../core/proxy/listeners.ts'
import { type ProxyRoutes, routesOf } from '../../core/proxy/routes.ts'
import { isRemoteUnicast, type TargetPolicy } from '../../core/proxy/target-policy.ts'
import { ok, type Problem, type Result } from '../../core/result.ts'
import { type Sighting, Sightings } from '../../core/trace/sightings.ts'
import type { Logger, LogLevel } from '../../runtime/observe/log.ts'
import type { Engine, EngineContext, Release } from '../engine.ts'
import { exclusiveSockets } from '../sockets/exclusive.ts'
import { Admission } from './admission.ts'
import type { Accept } from './bytes/accept.ts'
import { ReadBufferPool } from './bytes/read-buffers.ts'
import { findTcpHandles } from './bytes/tcp-handles.ts'
import { Connection, type ConnectionContext } from './connection.ts'
import { ProxyCounters } from './counters.ts'
import { defaultLimits, type ProxyLimits } from './limits.ts'
import { Listener } from './listener.ts'
import { Listeners } from './listeners.ts'
import { type BackendReport, BackendState } from './targets/backend-state.ts'
import { HealthChecks } from './targets/health-checks.ts'
import { type Lookup, TargetResolver } from './targets/target-resolver.ts'

export interface ProxyEngineOptions extends EngineContext {
  /** Which addresses connections may be passed on to; by default none that only this host can mean. */
  readonly isTargetAllowed?: TargetPolicy
  readonly limits?: Partial<ProxyLimits>
  readonly lookup?: Lookup
  /** Keep to what Node documents, though it costs. */
  readonly isPlain?: boolean
}

export interface ProxyEngineStatus {
  /** The generation that is served; absent before the first one, and for objects without generations. */
  readonly servingGeneration?: number
  readonly listeners: readonly { readonly address: string; readonly port: number; readonly side: Side }[]
  readonly backends: readonly BackendReport[]
  readonly openConnections: number
  /** How far the machines of the VLAN came; absent where the engine does not know. */
  readonly clients?: readonly Sighting[]
  /** What of the object is not served; all else is. */
  readonly problems: readonly Problem[]
}

/** The embedded proxy: passes TLS through by server name, on the VLAN address and on the pod addresses. */
export function createProxyEngine(options: ProxyEngineOptions): Engine<ProxyServer, ProxyEngineStatus> {
  return new ProxyEngine(options)
}

const nothing: ProxyRoutes = { ports: new Map(), backends: [], problems: [] }

class ProxyEngine implements Engine<ProxyServer, ProxyEngineStatus> {
  readonly #options: ProxyEngineOptions
  readonly #log: Logger
  readonly #isTargetAllowed: TargetPolicy
  readonly #context: ConnectionContext
  readonly #listeners: Listeners
  readonly #connections = new Set<Connection>()
  readonly #sightings = new Sightings()
  readonly #backendStates = new Map<string, BackendState>()
  readonly #healthChecks: HealthChecks
  #routes: ProxyRoutes = nothing
  #generation: number | undefined
  #onAllEnded: (() => void) | undefined

  constructor(options: ProxyEngineOptions) {
    const { now, metrics } = options
    const log = options.log.child({ component: 'proxy' })
    const limits = { ...defaultLimits, ...options.limits }
    const admission = new Admission(limits)
    const handles = options.isPlain ? undefined : findTcpHandles()
    this.#options = options
    this.#log = log
    this.#isTargetAllowed = options.isTargetAllowed ?? isRemoteUnicast
    const { sockets = exclusiveSockets } = options
    const [onConnection, onAcceptError] = [this.#onConnection, this.#onAcceptError]
    const accepting = { ...limits, handles }
    this.#listeners = new Listeners((plan) => new Listener(plan, { sockets, accepting, onConnection, onAcceptError }))
    this.#context = {
      log,
      now,
      limits,
      handles,
      admission,
      counters: new ProxyCounters(metrics, this.#connections, () => admission.undecided),
      bufferPool: new ReadBufferPool(),
      resolver: new TargetResolver(now, options.lookup),
      isTargetAllowed: (address, port) => this.#isTargetAllowed(address) && !this.#listeners.has(address, port),
      stateOf: (backend) => this.#stateOf(backend),
      sightings: this.#sightings,
    }
    this.#healthChecks = new HealthChecks(this.#context)
  }

  async apply(proxy: ProxyServer): Promise<Result<void>> {
    const addresses = listenAddressesOf(proxy)
    if (!addresses.ok) return addresses
    const routes = routesOf(proxy, this.#isTargetAllowed)
    const prepared = await this.#listeners.prepare(listenerPlans(proxy, routes, this.#options.podAddresses))
    if (!prepared.ok) return prepared
    prepared.value()
    const isNews = JSON.stringify(routes.problems) !== JSON.stringify(this.#routes.problems)
    this.#routes = routes
    this.#generation = proxy.metadata.generation
    this.#updateBackends(routes.backends)
    this.#log.level = levelFor(proxy.spec.logLevel) ?? this.#options.log.level
    for (const problem of isNews ? routes.problems : []) {
      this.#log.warn({ problem }, 'a part of the ProxyServer is not served')
    }
    return ok()
  }

  status(): ProxyEngineStatus {
    return {
      ...(this.#generation === undefined ? {} : { servingGeneration: this.#generation }),
      listeners: [...this.#listeners].map(({ address, port, side }) => ({ address, port, side })),
      backends: this.#routes.backends.map((backend) => this.#stateOf(backend).report()),
      openConnections: this.#connections.size,
      clients: this.#sightings.list(this.#options.now()),
      problems: this.#routes.problems,
    }
  }

  async stop(graceMs: number): Promise<void> {
    this.#healthChecks.stop()
    this.#listeners.closeAll()
    if (this.#connections.size === 0) return
    const allEnded = Promise.withResolvers<void>()
    this.#onAllEnded = allEnded.resolve
    const timer = setTimeout(() => {
      for (const connection of this.#connections) connection.cut()
    }, graceMs)
    await allEnded.promise
    clearTimeout(timer)
  }

  async release(graceMs: number): Promise<Release> {
    // Right after the loop has looked at its sockets nothing waits to be accepted, which closing would reset.
    await nextTurn()
    return { left: [], drained: this.stop(graceMs) }
  }

  /** Made on demand: a connection on a port that was opened a moment ago may be there before the change is through. */
  #stateOf(backend: Backend): BackendState {
    const existing = this.#backendStates.get(backend.name)
    if (existing) return existing
    const state = new BackendState(backend)
    this.#backendStates.set(backend.name, state)
    return state
  }

  #updateBackends(backends: readonly Backend[]): void {
    const names = new Set(backends.map(({ name }) => name))
    for (const name of this.#backendStates.keys()) if (!names.has(name)) this.#backendStates.delete(name)
    for (const backend of backends) this.#stateOf(backend).update(backend)
    this.#context.resolver.keepOnly(new Set(backends.flatMap(({ targets }) => targets.map(({ host }) => host))))
    this.#healthChecks.update(backends.map((backend) => this.#stateOf(backend)))
  }

  readonly #onConnection = (accept: Accept, listener: Listener): void => {
    void this.#serve(new Connection(accept, listener, this.#context))
  }

  async #serve(connection: Connection): Promise<void> {
    this.#connections.add(connection)
    try {
      await connection.serve()
    } catch (error) {
      // A fault of ours must cost this connection only.
      this.#log.error({ error: error instanceof Error ? error.stack : String(error) }, 'a connection failed')
      connection.cut()
    }
    this.#connections.delete(connection)
    if (this.#connections.size === 0) this.#onAllEnded?.()
  }

  readonly #onAcceptError = (error: Error): void => {
    this.#log.warn({ error: error.message }, 'a connection could not be accepted')
  }
}

/** Envoy's names for levels. The default of the API leaves it to the command line. */
function levelFor(wanted: ProxyServer['spec']['logLevel']): LogLevel | undefined {
  if (wanted === 'info') return undefined
  if (wanted === 'warning') return 'warn'
  return wanted === 'critical' ? 'silent' : wanted
}
