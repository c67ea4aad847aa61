import type { ProxyServer } from '../../api/proxyserver.ts'
import type { Problem } from '../result.ts'
import type { Binding } from '../translate/binding.ts'
import { namingOf } from '../translate/naming.ts'
import { type Bound, bind, type HostedWorld, type Vlan } from './bind.ts'
import type { Claim } from './claims.ts'

/** All hosted clusters on one VLAN. */
export interface Clusters {
  /** In the order of the claims, also those that got nothing. */
  readonly bound: readonly Bound[]
  /** What is served. */
  readonly bindings: readonly Binding[]
  /** Between claims; each is told to both. */
  readonly conflicts: readonly Conflict[]
}

export interface Conflict extends Problem {
  readonly attachments: readonly (string | undefined)[]
}

/**
 * Who of the claims gets onto the VLAN. Claims that want the same thing all get nothing, but for one that is served
 * already: what works goes on working, and whoever came later has to change.
 */
export function planClusters(
  claims: readonly Claim[],
  vlan: Vlan,
  world: HostedWorld,
  served: ProxyServer | undefined,
): Clusters {
  const bound = claims.map((claim) => bind(claim, vlan, world))
  const conflicts = conflictsOf(bound)
  const bindings = bound.flatMap(({ binding }) => binding ?? [])
  const naming = namingOf(bindings, served)
  const isServed = (binding: Binding): boolean =>
    served?.spec.backends.some(
      ({ name, targetNamespace }) =>
        targetNamespace === binding.controlPlaneNamespace && name === naming(binding, 'kube-apiserver'),
    ) ?? false
  const inConflict = (binding: Binding) => conflicts.filter(({ attachments }) => attachments.includes(binding.name))
  const kept = bindings.filter((binding) => {
    const rivals = inConflict(binding).flatMap(({ attachments }) => attachments)
    if (rivals.length === 0) return true
    const holder = bindings.find((rival) => rivals.includes(rival.name) && isServed(rival))
    return holder === binding
  })
  return { bound, bindings: kept, conflicts }
}

/** Why nothing is served although clusters are attached, as their Infra says it. */
export function noneServed({ bound, conflicts }: Clusters): Problem[] {
  const refusals = bound.flatMap(({ claim: { attachment }, problems }) =>
    problems.map(({ field, ...problem }) => ({
      ...problem,
      field: [attachment === undefined ? '' : `attachment ${attachment}`, field].filter(Boolean).join(', '),
    })),
  )
  if (refusals.length > 0 || conflicts.length > 0) return refusals
  const message = 'no attached cluster can be served: the status of each attachment says why'
  return [{ reason: 'InvalidField', message }]
}

/** What no two clusters on one VLAN can both have. */
function conflictsOf(bound: readonly Bound[]): Conflict[] {
  const byCluster = rivals(bound, ({ claim: { hostedCluster: ref } }) => (ref ? [`${ref.namespace}/${ref.name}`] : []))
  const byNamespace = rivals(bound, ({ binding }) => (binding ? [binding.controlPlaneNamespace] : []))
  const byName = rivals(bound, ({ binding }) => (binding ? namesOf(binding) : []))
  return [
    ...byCluster.map(([cluster, names]) =>
      conflict('DuplicateHostedCluster', names, `HostedCluster ${cluster} is attached more than once`),
    ),
    ...byNamespace
      .filter(([, names]) => !byCluster.some(([, told]) => told.join() === names.join()))
      .map(([namespace, names]) =>
        conflict('DuplicateHostedCluster', names, `the control plane in ${namespace} is attached more than once`),
      ),
    ...byName.map(([name, names]) =>
      conflict('DuplicateHostname', names, `${name} is the name of more than one cluster`),
    ),
  ]
}

function conflict(reason: Problem['reason'], attachments: Conflict['attachments'], what: string): Conflict {
  const who = attachments.map((name) => name ?? 'the Infra itself').join(', ')
  return {
    reason,
    attachments,
    message: `${what} (${who}): none of them is taken up, one that was served before stays`,
  }
}

/** Domain, applications, and each name with its port. */
function namesOf({ domain, apps, endpoints = [] }: Binding): string[] {
  const published = endpoints.flatMap(({ hosts, port }) => hosts.map((host) => `${host}:${port}`))
  return [...new Set([domain, ...(apps ? [`*.${apps.domain}`] : []), ...published])]
}

function rivals(
  bound: readonly Bound[],
  keysOf: (one: Bound) => readonly string[],
): [key: string, names: (string | undefined)[]][] {
  const holders = new Map<string, (string | undefined)[]>()
  for (const one of bound) {
    for (const key of new Set(keysOf(one))) holders.set(key, [...(holders.get(key) ?? []), one.claim.attachment])
  }
  return [...holders].filter(([, names]) => names.length > 1)
}
