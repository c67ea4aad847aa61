import { type Cidr, cidrContains, formatCidr } from '../net/cidr.ts'
import type { Backend } from './backend.ts'
import type { Destination } from './destination.ts'
import type { NameRoutes } from './routes.ts'

/** Where names lead for clients between whom the rules on sources tell no difference; `denied` where they keep them out. */
export interface View {
  readonly exact: ReadonlyMap<string, Backend | 'denied'>
  readonly wildcard: ReadonlyMap<string, Backend | 'denied'>
  readonly default: Backend | 'denied' | undefined
}

export interface SourceViews {
  /** Narrowest network first: that is the one that counts. */
  readonly bySource: readonly { readonly source: Cidr; readonly view: View }[]
  /** For every other source. */
  readonly otherwise: View
}

/**
 * The routes as each client sees them, for a data plane that looks at the source once and then only at names. Two
 * networks are either apart or one holds the other, so what the narrowest network that any rule names decides for one
 * client it decides for all of its clients.
 */
export function sourceViewsOf(routes: NameRoutes): SourceViews {
  const networks = new Map(networksIn(routes).map((source) => [formatCidr(source), source]))
  const narrowestFirst = [...networks.values()].sort((a, b) => b.prefixLength - a.prefixLength || a.network - b.network)
  return {
    bySource: narrowestFirst.map((source) => ({ source, view: viewFrom(routes, source) })),
    otherwise: viewFrom(routes, undefined),
  }
}

function networksIn({ exact, wildcard, default: nameless }: NameRoutes): Cidr[] {
  const destinations = [...exact.values(), ...wildcard.values(), ...(nameless ? [nameless] : [])]
  return destinations.flatMap(({ bySource, otherwise }) => [
    ...bySource.flatMap(({ source, backend }) => [source, ...(backend.allowedSources ?? [])]),
    ...(otherwise?.allowedSources ?? []),
  ])
}

function viewFrom(routes: NameRoutes, network: Cidr | undefined): View {
  const seen = (destination: Destination) => seenFrom(destination, network)
  const all = (names: ReadonlyMap<string, Destination>) => new Map([...names].map(([name, to]) => [name, seen(to)]))
  return {
    exact: all(routes.exact),
    wildcard: all(routes.wildcard),
    default: routes.default && seen(routes.default),
  }
}

function seenFrom({ bySource, otherwise }: Destination, network: Cidr | undefined): Backend | 'denied' {
  const isHeldBy = (source: Cidr) =>
    network !== undefined && source.prefixLength <= network.prefixLength && cidrContains(source, network.network)
  const backend = bySource.find(({ source }) => isHeldBy(source))?.backend ?? otherwise
  const isAllowed = backend?.allowedSources?.some(isHeldBy) ?? true
  return backend && isAllowed ? backend : 'denied'
}
