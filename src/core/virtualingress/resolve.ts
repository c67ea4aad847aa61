import type { VirtualIngress } from '../../api/virtualingress.ts'
import { failed, ok, type Problem, type Result } from '../result.ts'
import { aliasName, type SliceSource } from './alias.ts'
import { type BackendRef, backendRefs } from './backends.ts'
import { type BackendState, choose, type MultipleMatches, portOf } from './choose.ts'
import { selectorText } from './selector.ts'
import type { ServiceIndex, ServiceView } from './service-index.ts'

export type NoMatch = NonNullable<NonNullable<VirtualIngress['spec']['selection']>['noMatch']>

/** What holds where a VirtualIngress says nothing. */
export interface SelectionDefaults {
  readonly noMatch: NoMatch
  readonly multipleMatches: MultipleMatches
  readonly requireReadyEndpoints: boolean
}

export const selectionDefaults: SelectionDefaults = {
  noMatch: 'Hold',
  multipleMatches: 'Error',
  requireReadyEndpoints: false,
}

/** What a backend led to before. */
export interface LastKnown {
  readonly name: string
  /** Where only the number counts and the Service that knew it is gone. */
  readonly port?: number | undefined
}

export interface World {
  readonly services: ServiceIndex
  isReady(service: ServiceView): boolean
  /** May requests be led to this Service from another namespace? Undefined: never, that is switched off. */
  readonly permits?: ((service: ServiceView, from: string) => boolean) | undefined
  /** The EndpointSlices of a Service that is given an alias. */
  readonly slicesOf?: (service: ServiceView) => readonly SliceSource[]
}

export interface ResolvedBackend {
  readonly ref: BackendRef
  readonly state: BackendState
  /** The Service that was found and shall be used. */
  readonly service?: ServiceView | undefined
  /** For one of another namespace: the Service that stands for it in this one. */
  readonly alias?: string | undefined
  /** Its place in the meantime: what was used last, while nothing better is there. */
  readonly kept?: LastKnown | undefined
  readonly candidates: readonly string[]
}

/**
 * How many Services one VirtualIngress may have looked at. Far above any that is meant seriously: thousands of
 * selectors that each match thousands of Services would keep the operator from all others.
 */
const mostComparisons = 1_000_000

/** What came of each backend. */
export function resolveBackends(
  { metadata, spec }: VirtualIngress,
  world: World,
  last: ReadonlyMap<string, LastKnown>,
  defaults: SelectionDefaults = selectionDefaults,
): Result<ResolvedBackend[]> {
  const from = metadata.namespace ?? ''
  const { selection = {} } = spec
  const multipleMatches = selection.multipleMatches ?? defaults.multipleMatches
  const requireReadyEndpoints = selection.requireReadyEndpoints ?? defaults.requireReadyEndpoints
  const lookup = lookupIn(world, from)
  const refs = backendRefs(spec)
  const comparisons = lookup.costOf(refs)
  if (comparisons > mostComparisons) return failed(tooManyMatches(comparisons))

  return ok(
    refs.map((ref) => {
      const { service, key } = ref
      const known = last.get(key)
      if (service.name !== undefined) return byName(world, from, ref, service.name)
      const isAway = isElsewhere(service.namespace, from)
      if (isAway && !world.permits) return { ref, state: 'NotPermitted', candidates: [] }
      const alias = isAway ? aliasName(metadata.name, service) : undefined
      const matches = lookup.matching(ref)
      // Whether there is such a Service is not told to somebody who may not lead to it.
      if (isAway && matches.length === 0) return { ref, state: 'NotPermitted', alias, kept: known, candidates: [] }
      const choice = choose(matches, {
        multipleMatches: service.multipleMatches ?? multipleMatches,
        port: service.port,
        requireReadyEndpoints,
        current: known?.name,
        isReady: world.isReady,
      })
      return { ref, ...choice, alias, kept: choice.service ? undefined : known }
    }),
  )
}

/** A Service that is named is passed on as it is, as an Ingress would; whether it is there is only told. */
function byName({ services }: World, from: string, ref: BackendRef, name: string): ResolvedBackend {
  const service = services.get(from, name)
  const kept = { name }
  if (!service) return { ref, state: 'NoMatch', kept, candidates: [] }
  if (service.isTerminating) return { ref, state: 'Stale', service, candidates: [] }
  if (!portOf(service, ref.service.port)) return { ref, state: 'PortNotFound', kept, candidates: [] }
  return { ref, state: 'Resolved', service, candidates: [] }
}

/** Paths often ask for the same: that is looked for once. */
function lookupIn({ services, permits }: World, from: string) {
  const known = new Map<string, readonly ServiceView[]>()
  const namespaceOf = ({ service }: BackendRef): string => service.namespace ?? from
  const idOf = (ref: BackendRef): string => `${namespaceOf(ref)} ${selectorText(ref.service)}`
  return {
    costOf(refs: readonly BackendRef[]): number {
      // Of each backend, also where they ask for the same: one of all that match is chosen for each.
      const selecting = refs.filter(({ service }) => service.name === undefined)
      return selecting.reduce((sum, ref) => sum + services.cost(namespaceOf(ref), ref.service), 0)
    },
    matching(ref: BackendRef): readonly ServiceView[] {
      const id = idOf(ref)
      const found = known.get(id) ?? services.matching(namespaceOf(ref), ref.service)
      known.set(id, found)
      if (!isElsewhere(ref.service.namespace, from)) return found
      return found.filter((service) => permits?.(service, from) === true)
    },
  }
}

export function isElsewhere(namespace: string | undefined, from: string): namespace is string {
  return namespace !== undefined && namespace !== from
}

function tooManyMatches(comparisons: number): Problem {
  const message = `the selectors match ${comparisons} Services taken together, more than ${mostComparisons}: ask for rarer labels`
  return { reason: 'TooManyMatches', field: 'spec.rules', message }
}
