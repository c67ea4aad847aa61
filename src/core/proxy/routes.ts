import { serverAddressesOf } from '../../api/network.ts'
import type { ProxyBackend, ProxyServer } from '../../api/proxyserver.ts'
import { parseHostnamePattern } from '../net/name.ts'
import type { Problem } from '../result.ts'
import { type Backend, backendOf, isAddress } from './backend.ts'
import { isRemoteUnicast, type TargetPolicy } from './target-policy.ts'

/** What is reached through one port, by name. */
export interface PortRoutes {
  readonly port: number
  readonly exact: ReadonlyMap<string, Backend>
  /** Keyed by the parent: `*.apps.example.com` is under `apps.example.com`. */
  readonly wildcard: ReadonlyMap<string, Backend>
  /** Takes TLS without a server name. */
  readonly default: Backend | undefined
}

export interface ProxyRoutes {
  readonly ports: ReadonlyMap<number, PortRoutes>
  readonly backends: readonly Backend[]
  /** What of the object cannot be served. Everything else is served all the same. */
  readonly problems: readonly Problem[]
}

/** Clients inside the hosted cluster reach its API by address and so without a name; HyperShift's port for it is this one. */
const apiPort = 6443
const apiBackendName = 'kube-apiserver'

/** Every data plane routes by this. Where two backends want the same thing the first keeps it, so an addition never takes away. */
export function routesOf(proxy: ProxyServer, isTargetAllowed: TargetPolicy = isRemoteUnicast): ProxyRoutes {
  const builder = new RouteBuilder(proxy, isTargetAllowed)
  for (const [index, spec] of proxy.spec.backends.entries()) builder.add(spec, `spec.backends[${index}]`)
  builder.chooseDefaults()
  return builder
}

/** The part of a port's routes that the pod network may use, if there is any. */
export function podSideOf(routes: PortRoutes): PortRoutes | undefined {
  const exact = new Map([...routes.exact].filter(([, backend]) => backend.podNetwork))
  const wildcard = new Map([...routes.wildcard].filter(([, backend]) => backend.podNetwork))
  if (exact.size + wildcard.size === 0) return undefined
  return { port: routes.port, exact, wildcard, default: routes.default?.podNetwork ? routes.default : undefined }
}

interface MutablePortRoutes extends PortRoutes {
  readonly exact: Map<string, Backend>
  readonly wildcard: Map<string, Backend>
  default: Backend | undefined
}

class RouteBuilder implements ProxyRoutes {
  readonly ports = new Map<number, MutablePortRoutes>()
  readonly backends: Backend[] = []
  readonly problems: Problem[] = []
  readonly #proxy: ProxyServer
  readonly #isTargetAllowed: TargetPolicy
  readonly #ownListeners: ReadonlySet<string>

  constructor(proxy: ProxyServer, isTargetAllowed: TargetPolicy) {
    this.#proxy = proxy
    this.#isTargetAllowed = isTargetAllowed
    const addresses = serverAddressesOf(proxy.spec.networkConfig)
    const ports = proxy.spec.backends.map((backend) => backend.port)
    this.#ownListeners = new Set(addresses.flatMap((address) => ports.map((port) => `${address}:${port}`)))
  }

  add(spec: ProxyBackend, field: string): void {
    if (this.backends.some(({ name }) => name === spec.name)) {
      this.#report(
        'DuplicateBackend',
        `${field}.name`,
        `there are two backends called ${spec.name}; the first is served`,
      )
      return
    }
    const backend = this.#withPermittedTargets(spec, field)
    this.backends.push(backend)
    this.#addName(backend, spec.hostname, `${field}.hostname`)
    for (const [index, name] of (spec.alternateHostnames ?? []).entries()) {
      this.#addName(backend, name, `${field}.alternateHostnames[${index}]`)
    }
    if (spec.default) this.#addDefault(backend, `${field}.default`)
  }

  chooseDefaults(): void {
    const routes = this.ports.get(apiPort)
    const api = this.backends.find(({ name, port }) => name === apiBackendName && port === apiPort)
    if (routes && api) routes.default ??= api
  }

  #portRoutes(port: number): MutablePortRoutes {
    const existing = this.ports.get(port)
    if (existing) return existing
    const routes = { port, exact: new Map(), wildcard: new Map(), default: undefined }
    this.ports.set(port, routes)
    return routes
  }

  #addName(backend: Backend, written: string, field: string): void {
    const pattern = parseHostnamePattern(written)
    if (pattern === undefined) {
      this.#report('InvalidField', field, `${written} is neither a DNS name nor a wildcard such as *.apps.example.com`)
      return
    }
    const routes = this.#portRoutes(backend.port)
    const names = pattern.startsWith('*.') ? routes.wildcard : routes.exact
    const key = pattern.replace(/^\*\./, '')
    const holder = names.get(key)
    if (holder === undefined) names.set(key, backend)
    else if (holder !== backend) {
      const text = `${pattern} on port ${backend.port} belongs to backend ${holder.name}; ${backend.name} does not get it`
      this.#report('DuplicateHostname', field, text)
    }
  }

  #addDefault(backend: Backend, field: string): void {
    const routes = this.#portRoutes(backend.port)
    const holder = routes.default
    if (holder === undefined) routes.default = backend
    else {
      const text = `port ${backend.port} already has the default ${holder.name}; ${backend.name} does not become it`
      this.#report('DuplicateDefault', field, text)
    }
  }

  #withPermittedTargets(spec: ProxyBackend, field: string): Backend {
    const resolved = this.#proxy.status?.resolved?.backends?.find(({ name }) => name === spec.name)
    const backend = backendOf(spec, resolved)
    const targets = backend.targets.filter(({ host, port }) => {
      if (isAddress(host) && !this.#isTargetAllowed(host)) {
        this.#report('TargetNotPermitted', field, `backend ${spec.name} may not go to ${host}`)
        return false
      }
      if (this.#ownListeners.has(`${host}:${port}`)) {
        this.#report('TargetNotPermitted', field, `backend ${spec.name} goes to ${host}:${port}, the proxy itself`)
        return false
      }
      return true
    })
    if (backend.targets.length === 0) {
      const service = `${spec.targetNamespace ?? ''}/${spec.targetService ?? ''}`
      this.#report('TargetUnresolved', field, `backend ${spec.name}: no address is known of the Service ${service}`)
    }
    return { ...backend, targets }
  }

  #report(reason: Problem['reason'], field: string, text: string): void {
    this.problems.push({ reason, field, message: `ProxyServer ${this.#proxy.metadata.name}: ${text}.` })
  }
}
