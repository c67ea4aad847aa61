import type { Reason } from '../../api/reasons.ts'
import type { VirtualIngress } from '../../api/virtualingress.ts'
import type { Problem } from '../result.ts'
import { acceptedStatement } from '../status/component.ts'
import { type Statement, statementsAbout } from '../status/statement.ts'
import type { BackendState } from './choose.ts'
import type { Generation } from './generate.ts'
import type { ResolvedBackend } from './resolve.ts'
import { selectorText } from './selector.ts'

type Status = NonNullable<VirtualIngress['status']>
export type BackendStatus = NonNullable<Status['resolvedBackends']>[number]

/** What became of the objects that were wanted. */
export type Outcome =
  | { readonly is: 'written'; readonly what: string }
  | { readonly is: 'suspended' }
  | { readonly is: 'held' | 'withdrawn' }
  /** Something is in the way. */
  | { readonly is: 'failed' | 'pending'; readonly problem: Problem }

export interface Observation {
  readonly generation: number
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  readonly backends: Generation['backends']
  readonly outcome: Outcome
}

/** In the order in which one needs the other, so that the first that fails is the cause. */
export function virtualIngressStatements(observed: Observation): Statement[] {
  const { generation, problems, warnings } = observed
  const remarks = warnings.map(({ message }) => message)
  return [acceptedStatement(generation, problems, remarks), resolvedRefs(observed), programmed(observed)]
}

const reasonOf: Readonly<Record<Exclude<BackendState, 'Resolved'>, Reason>> = {
  NoMatch: 'NoMatchingService',
  Ambiguous: 'MultipleMatchingServices',
  PortNotFound: 'PortNotFound',
  NotPermitted: 'ReferenceNotPermitted',
  NotReady: 'EndpointsNotReady',
  Stale: 'ServiceTerminating',
}

const mostTold = 5

function resolvedRefs({ generation, problems, backends }: Observation): Statement {
  const { holds, fails, isUnknown } = statementsAbout(generation)
  const troubled = backends.filter(({ state }) => state !== 'Resolved')
  const [first] = troubled
  if (backends.length === 0 && problems.length > 0)
    return isUnknown('ResolvedRefs', problems[0]?.reason ?? 'InvalidField', 'not looked for: the spec is not accepted')
  if (!first || first.state === 'Resolved') return holds('ResolvedRefs', 'Resolved', `${summaryOf(backends)} backends`)
  const told = troubled.slice(0, mostTold).map(describeBackend)
  const more = troubled.length > mostTold ? [`and ${troubled.length - mostTold} more`] : []
  return fails('ResolvedRefs', reasonOf[first.state], [...told, ...more].join('; '))
}

/** One sentence for a backend without a good Service, and what becomes of its requests. */
export function describeBackend({ ref, state, service, kept, candidates }: ResolvedBackend): string {
  const { host = '', path = '', service: wanted } = ref
  const route = `${host}${path}` || 'default backend'
  const asked = wanted.name === undefined ? `with ${selectorText(wanted)}` : wanted.name
  const port = wanted.port.number ?? wanted.port.name
  const use = service?.name ?? kept?.name
  const meanwhile = use === undefined || wanted.name !== undefined ? '' : `; ${use} stays in use`
  const where = wanted.namespace === undefined ? '' : ` in ${wanted.namespace}`
  const sentence = {
    Resolved: `leads to ${use}`,
    NoMatch: `there is no Service ${asked}${where}`,
    Ambiguous: `${candidates.length} Services match ${selectorText(wanted)}: ${shortList(candidates)}; ask for one more label, or say in multipleMatches which one`,
    PortNotFound: `the Service ${asked} has no port ${port}`,
    NotPermitted: `no Service ${asked}${where} permits requests from here`,
    NotReady: `the Service ${asked} has no ready endpoint`,
    Stale: `the Service ${use} is being deleted, and there is no other`,
  }[state]
  return `${route}: ${sentence}${state === 'Stale' ? '' : meanwhile}`
}

function shortList(names: readonly string[]): string {
  const more = names.length > mostTold ? `, and ${names.length - mostTold} more` : ''
  return `${names.slice(0, mostTold).join(', ')}${more}`
}

function programmed({ generation, problems, outcome }: Observation): Statement {
  const { holds, fails, isUnknown } = statementsAbout(generation)
  const type = 'Programmed'
  const [problem] = problems
  if (outcome.is === 'suspended') return fails(type, 'Suspended', 'nothing is changed while spec.suspend is true')
  if (outcome.is === 'failed') return fails(type, outcome.problem.reason, outcome.problem.message)
  if (outcome.is === 'pending') return isUnknown(type, outcome.problem.reason, outcome.problem.message)
  if (problem) return fails(type, problem.reason, 'nothing was changed: the spec is not accepted')
  if (outcome.is === 'written') return holds(type, 'Programmed', outcome.what)
  const message = outcome.is === 'held' ? 'nothing is made' : 'withdrawn'
  return fails(type, 'NotPublished', `${message} until every backend has a Service`)
}

/** `2/3`: how many are as they should be. */
export function summaryOf(backends: readonly ResolvedBackend[]): string {
  return `${backends.filter(({ state }) => state === 'Resolved').length}/${backends.length}`
}

const mostBackends = 1024
/** Of a whole object that etcd takes, with room for the spec. */
const mostCharacters = 262_144
const longestSelector = 1024

/** What came of each backend, as much as an object can hold; the time of those that did not change stays. */
export function backendStatuses(
  backends: readonly ResolvedBackend[],
  before: readonly BackendStatus[],
  now: string,
): BackendStatus[] {
  const known = new Map(before.map((entry) => [entry.field, entry]))
  let characters = 0
  const statuses: BackendStatus[] = []
  for (const backend of backends.slice(0, mostBackends)) {
    const entry = statusOf(backend)
    const earlier = known.get(entry.field)
    const isSame = earlier?.state === entry.state && earlier?.name === entry.name
    const status = { ...entry, since: (isSame && earlier?.since) || now }
    characters += JSON.stringify(status).length
    if (characters > mostCharacters) break
    statuses.push(status)
  }
  return statuses
}

function statusOf({ ref, state, service, kept, candidates }: ResolvedBackend): BackendStatus {
  const { field, host, path, pathType, service: wanted } = ref
  const name = service?.name ?? kept?.name
  const selector = selectorText(wanted).slice(0, longestSelector)
  return {
    field,
    ...(host === undefined ? {} : { host }),
    ...(path === undefined ? {} : { path }),
    ...(pathType === undefined ? {} : { pathType }),
    state,
    ...(selector === '' ? {} : { selector }),
    ...(wanted.namespace === undefined ? {} : { namespace: wanted.namespace }),
    ...(name === undefined ? {} : { name }),
    ...(service ? { uid: service.uid } : {}),
    port: String(wanted.port.number ?? wanted.port.name),
    ...(candidates.length > 0 ? { candidates: candidates.slice(0, 16) } : {}),
  }
}
