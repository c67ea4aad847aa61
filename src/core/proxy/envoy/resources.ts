import { serverAddressesOf } from '../../../api/network.ts'
import type { ProxyServer } from '../../../api/proxyserver.ts'
import type { Problem } from '../../result.ts'
import { type Backend, isAddress } from '../backend.ts'
import { type PortRoutes, podSideOf, routesOf } from '../routes.ts'
import { isRemoteUnicast, type TargetPolicy } from '../target-policy.ts'
import { assignmentOf, clusterOf, type EndpointSource } from './clusters.ts'
import { compareText, type JsonObject } from './json.ts'
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
  const isInline = options.endpoints === 'inline'
  const located = isInline ? routes.backends : routes.backends.map((backend) => locate(backend, options))
  const ports = [...routes.ports.values()]
  const discovered = isInline ? [] : located
  return {
    clusters: byName(located.map((backend) => [backend.name, clusterOf(backend, options.endpoints)])),
    endpoints: byName(discovered.map((backend) => [backend.name, assignmentOf(backend)])),
    listeners: byName(listenersOf(proxy, ports, options).map((json) => [String(json.name), json])),
    ports: routes.ports,
    targetCounts: new Map(located.map(({ name, targets }) => [name, targets.length])),
    problems: routes.problems,
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
  return [...open('vlan', vlanAddresses, ports), ...open('pod', podOnly, podPorts)]
}

function byName(entries: readonly (readonly [string, JsonObject])[]): ReadonlyMap<string, JsonObject> {
  return new Map(entries.toSorted(([a], [b]) => compareText(a, b)))
}
