import { cidrContains } from '../net/cidr.ts'
import { parseIpv4 } from '../net/ipv4.ts'
import type { Backend } from './backend.ts'
import { backendFor, type Destination } from './destination.ts'
import type { NameRoutes } from './routes.ts'

/** What is known of a connection when it has to be routed. */
export interface RoutingRequest {
  /** Canonical, or undefined when the client named no host (or named an address). */
  readonly serverName: string | undefined
  readonly sourceAddress: string
}

/** Why a connection with a sound ClientHello gets no backend. */
export type Refusal = 'no_sni' | 'unknown_sni' | 'source_denied'

export type Choice =
  | { readonly kind: 'backend'; readonly backend: Backend }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/**
 * Exact name, then the longest wildcard; without a name the default of the port. A name that is unknown is refused,
 * never sent to the default: the default is for clients that cannot name a host, not for those who name a wrong one.
 * What a name leads to is final: a source that has no route there, or is not allowed, does not fall through to a wildcard.
 */
export function chooseBackend(routes: NameRoutes, request: RoutingRequest): Choice {
  const { serverName, sourceAddress } = request
  const destination = serverName === undefined ? routes.default : findByName(routes, serverName)
  if (!destination) return { kind: 'refused', refusal: serverName === undefined ? 'no_sni' : 'unknown_sni' }
  const backend = backendFor(destination, sourceAddress)
  if (!backend || !isSourceAllowed(backend, sourceAddress)) return { kind: 'refused', refusal: 'source_denied' }
  return { kind: 'backend', backend }
}

/** A wildcard covers any number of labels below its parent, but not the parent itself. */
function findByName(routes: NameRoutes, name: string): Destination | undefined {
  const exact = routes.exact.get(name)
  if (exact) return exact
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const destination = routes.wildcard.get(name.slice(dot + 1))
    if (destination) return destination
  }
  return undefined
}

function isSourceAllowed(backend: Backend, sourceAddress: string): boolean {
  if (!backend.allowedSources) return true
  const address = parseIpv4(sourceAddress)
  return address !== undefined && backend.allowedSources.some((cidr) => cidrContains(cidr, address))
}
