import type { VirtualIngress } from '../../api/virtualingress.ts'
import type { VirtualIngressService } from '../../api/virtualingressbackend.ts'
import type { ServiceView } from './service-index.ts'

type ResolvedBackend = NonNullable<NonNullable<VirtualIngress['status']>['resolvedBackends']>[number]
export type BackendState = ResolvedBackend['state']
export type MultipleMatches = NonNullable<VirtualIngressService['multipleMatches']>
export type ServicePort = VirtualIngressService['port']

export interface Question {
  readonly multipleMatches: MultipleMatches
  readonly port: ServicePort | undefined
  readonly requireReadyEndpoints: boolean
  /** The Service that is in use now. */
  readonly current: string | undefined
  isReady(service: ServiceView): boolean
}

export interface Choice {
  readonly state: BackendState
  /** The Service to lead requests to. */
  readonly service?: ServiceView
  /** All that could be meant, where they are several. */
  readonly candidates: readonly string[]
}

/** Which of the Services that match is taken. Those in use have a right to stay; those that are going have none. */
export function choose(matches: readonly ServiceView[], question: Question): Choice {
  const { multipleMatches, port, requireReadyEndpoints, current, isReady } = question
  const living = matches.filter(({ isTerminating }) => !isTerminating)
  const candidates = living.length > 1 ? living.map(({ name }) => name) : []
  if (living.length === 0) {
    const going = matches.find(({ name }) => name === current)
    return going ? { state: 'Stale', service: going, candidates } : { state: 'NoMatch', candidates }
  }
  if (living.length > 1 && multipleMatches === 'Error') {
    const inUse = living.find((service) => service.name === current && portOf(service, port))
    return { state: 'Ambiguous', candidates, ...(inUse ? { service: inUse } : {}) }
  }
  const eligible = requireReadyEndpoints
    ? living.filter((service) => service.name === current || isReady(service))
    : living
  const [first] = eligible.toSorted(preference[multipleMatches])
  if (!first) return { state: 'NotReady', candidates }
  if (!portOf(first, port)) return { state: 'PortNotFound', candidates }
  return { state: 'Resolved', service: first, candidates }
}

type Order = (one: ServiceView, other: ServiceView) => number

const byName: Order = (one, other) => (one.name < other.name ? -1 : 1)
const byAge: Order = (one, other) => {
  if (one.createdAt === other.createdAt) return byName(one, other)
  return one.createdAt < other.createdAt ? -1 : 1
}
const byYouth: Order = (one, other) => (one.createdAt === other.createdAt ? byName(one, other) : -byAge(one, other))

const preference: Readonly<Record<MultipleMatches, Order>> = {
  Error: byName,
  FirstByName: byName,
  Oldest: byAge,
  Newest: byYouth,
}

/** The port of a Service that a backend means; undefined if it has none such. */
export function portOf(service: ServiceView, wanted: ServicePort | undefined): { readonly port: number } | undefined {
  if (!wanted) return service.ports[0]
  return service.ports.find(({ name, port }) =>
    wanted.number === undefined ? name === wanted.name : port === wanted.number,
  )
}
