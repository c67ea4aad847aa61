import { serverAddressesOf } from '../../../api/network.ts'
import type { ProxyServer } from '../../../api/proxyserver.ts'
import type { Problem } from '../../result.ts'
import { type Backend, isAddress } from '../backend.ts'
import type { Destination } from '../destination.ts'
import { type NameRoutes, type PortRoutes, podSideOf, routesOf } from '../routes.ts'
import { isRemoteUnicast, type TargetPolicy } from '../target-policy.ts'
import { compareText } from './chains.ts'
import { assignmentOf, clusterOf, type EndpointSource } from './clusters.ts'
import type { JsonObject } from './json.ts'
import { type ListenerPlace, listenerOf } from './listeners.ts'

/** Everything Envoy is told about a ProxyServer, by name. The same object always gives the same text. */
export interface EnvoyResources {
  readonly clusters: ReadonlyMap<string, JsonObject>
  readonly endpoints: ReadonlyMap<string, JsonObject>
  readonly listeners: ReadonlyMap<string, JsonObject>
  /** What the listeners were made from. */
  readonly ports: ReadonlyMap<number, PortRoutes>
  /** How many places each backend can go to. */
  readonly targetCounts: ReadonlyMap<string, number>
  /** What of the object cannot be served. Everything else is. */
  readonly problems: readonly Problem[]
}

export interface EnvoyResourceOptions {
  readonly podAddresses: readonly string[]
  readonly endpoints: EndpointSource
  readonly isTargetAllowed?: TargetPolicy
  /**
   * With discovered endpoints: the addresses of targets given by name. Envoy is never told the names, because it would
   * follow them anywhere, also to what listens on its own host.
   */
  readonly addresses?: ReadonlyMap<string, readonly string[]>
}

export function envoyResourcesOf(proxy: ProxyServer, options: EnvoyResourceOptions): EnvoyResources {
  const routes = routesOf(proxy, options.isTargetAllowed ?? isRemoteUnicast)
  const [servable, bySource] = splitBySource(routes.backends)
  const located = options.endpoints === 'inline' ? servable : servable.map((backend) => locate(backend, options))
  const isServable = (backend: Backend) => servable.includes(backend)
  const ports = [...routes.ports.values()].map((port) => ({ ...port, http: withoutSources(port.http, isServable) }))
  const discovered = options.endpoints === 'discovered' ? located : []
  return {
    clusters: byName(located.map((backend) => [backend.name, clusterOf(backend, options.endpoints)])),
    endpoints: byName(discovered.map((backend) => [backend.name, assignmentOf(backend)])),
    listeners: byName(listenersOf(proxy, ports, options).map((json) => [String(json.name), json])),
    ports: routes.ports,
    targetCounts: new Map(located.map(({ name, targets }) => [name, targets.length])),
    problems: [...routes.problems, ...bySource.map((backend) => cannotTellSources(proxy, backend))],
  }
}

/** The names that `addresses` has to know. */
export function namedTargetsOf(proxy: ProxyServer, isTargetAllowed: TargetPolicy = isRemoteUnicast): Set<string> {
  const hosts = routesOf(proxy, isTargetAllowed).backends.flatMap(({ targets }) => targets.map(({ host }) => host))
  return new Set(hosts.filter((host) => !isAddress(host)))
}

function locate(backend: Backend, { addresses, isTargetAllowed = isRemoteUnicast }: EnvoyResourceOptions): Backend {
  const targets = backend.targets.flatMap((target) => {
    if (isAddress(target.host)) return [target]
    const allowed = (addresses?.get(target.host) ?? []).filter(isTargetAllowed)
    return allowed.map((host) => ({ ...target, host }))
  })
  return { ...backend, targets }
}

function listenersOf(
  proxy: ProxyServer,
  ports: readonly PortRoutes[],
  { podAddresses, endpoints }: EnvoyResourceOptions,
): JsonObject[] {
  const vlanAddresses = serverAddressesOf(proxy.spec.networkConfig)
  const podOnly = podAddresses.filter((address) => !vlanAddresses.includes(address))
  const podPorts = ports.map(podSideOf).filter((routes) => routes !== undefined)
  const open = (side: ListenerPlace['side'], addresses: readonly string[], routes: readonly PortRoutes[]) => {
    // Machines boot on the VLAN; and an Envoy that has all in one file has no oooi to tell.
    const isReported = side === 'vlan' && endpoints === 'discovered'
    return addresses.flatMap((address) => routes.map((port) => listenerOf({ address, side, isReported }, port)))
  }
  // Envoy refuses a listener without chains; a port whose every name was refused has none.
  return [...open('vlan', vlanAddresses, ports), ...open('pod', podOnly, podPorts)].filter(
    ({ filter_chains: chains }) => Array.isArray(chains) && chains.length > 0,
  )
}

/** Requests are routed by Host alone: a rule on sources that would not be kept must not look as if it were. */
function splitBySource(backends: readonly Backend[]): [Backend[], Backend[]] {
  const isHeld = (backend: Backend) => backend.protocol === 'tls' || !(backend.sources ?? backend.allowedSources)
  return [backends.filter(isHeld), backends.filter((backend) => !isHeld(backend))]
}

function withoutSources(routes: NameRoutes, isServable: (backend: Backend) => boolean): NameRoutes {
  const isKept = (destination: Destination) => destination.otherwise !== undefined && isServable(destination.otherwise)
  const kept = (names: ReadonlyMap<string, Destination>) => new Map([...names].filter(([, to]) => isKept(to)))
  return {
    exact: kept(routes.exact),
    wildcard: kept(routes.wildcard),
    default: routes.default && isKept(routes.default) ? routes.default : undefined,
  }
}

function cannotTellSources(proxy: ProxyServer, { name }: Backend): Problem {
  return {
    reason: 'EngineLacksFeature',
    field: 'spec.backends',
    message: `ProxyServer ${proxy.metadata.name}: backend ${name} has protocol HTTP and rules on source addresses, which Envoy is not told yet; it is not served. Leave one of the two out, or use engine embedded.`,
  }
}

function byName(entries: readonly (readonly [string, JsonObject])[]): ReadonlyMap<string, JsonObject> {
  return new Map(entries.toSorted(([a], [b]) => compareText(a, b)))
}
