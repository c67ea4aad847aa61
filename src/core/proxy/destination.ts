import { type Cidr, cidrContains, formatCidr } from '../net/cidr.ts'
import { parseIpv4 } from '../net/ipv4.ts'
import type { Backend } from './backend.ts'

/** Where one name leads, which may depend on who asks. */
export interface Destination {
  /** Narrowest network first: that is the one that counts. */
  readonly bySource: readonly SourceRoute[]
  /** For every other source. */
  readonly otherwise: Backend | undefined
}

export interface SourceRoute {
  readonly source: Cidr
  readonly backend: Backend
}

export const nowhere: Destination = { bySource: [], otherwise: undefined }

export function backendFor(destination: Destination, sourceAddress: string): Backend | undefined {
  if (destination.bySource.length === 0) return destination.otherwise
  const address = parseIpv4(sourceAddress)
  if (address === undefined) return destination.otherwise
  return destination.bySource.find(({ source }) => cidrContains(source, address))?.backend ?? destination.otherwise
}

/**
 * The destination with this backend in it, for its sources or for everybody; `holders` are those who have one of its
 * places already and keep it.
 */
export function withBackend(
  destination: Destination,
  backend: Backend,
): { readonly destination: Destination; readonly holders: readonly Backend[] } {
  if (backend.sources === undefined) {
    const holder = destination.otherwise
    if (holder) return { destination, holders: holder === backend ? [] : [holder] }
    return { destination: { ...destination, otherwise: backend }, holders: [] }
  }
  const taken = new Map(destination.bySource.map((route) => [formatCidr(route.source), route.backend]))
  const holders = backend.sources
    .map((source) => taken.get(formatCidr(source)))
    .filter((holder) => holder !== undefined)
  const added = backend.sources
    .filter((source) => !taken.has(formatCidr(source)))
    .map((source) => ({ source, backend }))
  const bySource = [...destination.bySource, ...added].sort((a, b) => b.source.prefixLength - a.source.prefixLength)
  return { destination: { ...destination, bySource }, holders: holders.filter((holder) => holder !== backend) }
}

/** The part of it that these backends have; undefined if they have none. */
export function restrictedTo(
  destination: Destination | undefined,
  isWanted: (backend: Backend) => boolean,
): Destination | undefined {
  if (destination === undefined) return undefined
  const bySource = destination.bySource.filter(({ backend }) => isWanted(backend))
  const otherwise = destination.otherwise && isWanted(destination.otherwise) ? destination.otherwise : undefined
  return bySource.length === 0 && otherwise === undefined ? undefined : { bySource, otherwise }
}
