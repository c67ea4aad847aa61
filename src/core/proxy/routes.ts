import { serverAddressesOf } from '../../api/network.ts'
import type { ProxyBackend, ProxyServer } from '../../api/proxyserver.ts'
import { parseHostnamePattern } from '../net/name.ts'
import type { Problem } from '../result.ts'
import { type Backend, backendOf, isAddress } from './backend.ts'
import { type Destination, nowhere, restrictedTo, withBackend } from './destination.ts'
import { isRemoteUnicast, type TargetPolicy } from './target-policy.ts'

/** Where names lead. */
export interface NameRoutes {
  readonly exact: ReadonlyMap<string, Destination>
  /** Keyed by the parent: `*.apps.example.com` is under `apps.example.com`. */
  readonly wildcard: ReadonlyMap<string, Destination>
  /** For who names no host. */
  readonly default: Destination | undefined
}

/** What is reached through one port: TLS by its server name, plain HTTP by its Host, or whatever is spoken. */
export interface PortRoutes {
  readonly port: number
  readonly tls: NameRoutes
  readonly http: NameRoutes
  /** Nothing is read to find a name, so all that counts of it is its default. */
  readonly raw: NameRoutes
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
export function podSideOf({ port, tls, http, raw }: PortRoutes): PortRoutes | undefined {
  const podSide = { port, tls: podNames(tls), http: podNames(http), raw: podNames(raw) }
  return hasNames(podSide.tls) || hasNames(podSide.http) || isRaw(podSide) ? podSide : undefined
}

/** Is the port for one backend alone, whatever its clients speak? */
export function isRaw({ raw }: Pick<PortRoutes, 'raw'>): boolean {
  return raw.default !== undefined
}

export function hasNames(routes: NameRoutes): boolean {
  return routes.exact.size + routes.wildcard.size > 0
}

function podNames(routes: NameRoutes): NameRoutes {
  return {
    exact: podDestinations(routes.exact),
    wildcard: podDestinations(routes.wildcard),
    default: restrictedTo(routes.default, isForPods),
  }
}

function podDestinations(destinations: ReadonlyMap<string, Destination>): Map<string, Destination> {
  const restricted = new Map<string, Destination>()
  for (const [name, destination] of destinations) {
    const podSide = restrictedTo(destination, isForPods)
    if (podSide) restricted.set(name, podSide)
  }
  return restricted
}

const isForPods = (backend: Backend) => backend.podNetwork

interface MutableNameRoutes extends NameRoutes {
  readonly exact: Map<string, Destination>
  readonly wildcard: Map<string, Destination>
  default: Destination | undefined
}

interface MutablePortRoutes extends PortRoutes {
  readonly tls: MutableNameRoutes
  readonly http: MutableNameRoutes
  readonly raw: MutableNameRoutes
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
    if (backend.protocol === 'raw') {
      this.#addDefault(backend, `${field}.port`)
      return
    }
    this.#addName(backend, spec.hostname, `${field}.hostname`)
    for (const [index, name] of (spec.alternateHostnames ?? []).entries()) {
      this.#addName(backend, name, `${field}.alternateHostnames[${index}]`)
    }
    if (spec.default) this.#addDefault(backend, `${field}.default`)
  }

  chooseDefaults(): void {
    const routes = this.ports.get(apiPort)
    const api = this.backends.find(({ name, port }) => name === apiBackendName && port === apiPort)
    if (routes && api) routes.tls.default ??= withBackend(nowhere, api).destination
  }

  #routesFor({ port, protocol }: Backend): MutableNameRoutes {
    const existing = this.ports.get(port)
    if (existing) return existing[protocol]
    const routes: MutablePortRoutes = { port, tls: noNames(), http: noNames(), raw: noNames() }
    this.ports.set(port, routes)
    return routes[protocol]
  }

  #addName(backend: Backend, written: string, field: string): void {
    const pattern = parseHostnamePattern(written)
    if (pattern === undefined) {
      this.#report('InvalidField', field, `${written} is neither a DNS name nor a wildcard such as *.apps.example.com`)
      return
    }
    const routes = this.#routesFor(backend)
    const names = pattern.startsWith('*.') ? routes.wildcard : routes.exact
    const key = pattern.replace(/^\*\./, '')
    const { destination, holders } = withBackend(names.get(key) ?? nowhere, backend)
    names.set(key, destination)
    const [holder] = holders
    if (holder) {
      const text = `${pattern} on port ${backend.port} belongs to backend ${holder.name}; ${backend.name} does not get it`
      this.#report('DuplicateHostname', field, text)
    }
  }

  #addDefault(backend: Backend, field: string): void {
    const routes = this.#routesFor(backend)
    const { destination, holders } = withBackend(routes.default ?? nowhere, backend)
    routes.default = destination
    const [holder] = holders
    if (holder) {
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
      const { targetService, targetNamespace } = spec
      const target = targetService === undefined ? 'its target' : `the Service ${targetNamespace}/${targetService}`
      this.#report('TargetUnresolved', field, `backend ${spec.name}: no address is known of ${target}`)
    }
    return { ...backend, targets }
  }

  #report(reason: Problem['reason'], field: string, text: string): void {
    this.problems.push({ reason, field, message: `ProxyServer ${this.#proxy.metadata.name}: ${text}.` })
  }
}

function noNames(): MutableNameRoutes {
  return { exact: new Map(), wildcard: new Map(), default: undefined }
}
