import type { RouteView } from './httproute.ts'
import type { Outcome } from './status.ts'

/** What keeps an HTTPRoute from being served, by what the Gateways say of it; undefined: nothing. */
export function routeOutcome({ metadata, spec, status }: RouteView): Outcome | undefined {
  const { name, generation = 0 } = metadata
  const parents = status?.parents ?? []
  for (const { parentRef, conditions = [] } of parents) {
    const refused = conditions.find(
      (condition) =>
        ['Accepted', 'ResolvedRefs'].includes(condition.type) &&
        condition.status === 'False' &&
        (condition.observedGeneration ?? generation) >= generation,
    )
    if (!refused) continue
    const message = `HTTPRoute ${name}: ${parentRef?.name ?? 'its Gateway'} says ${refused.reason ?? refused.type}: ${refused.message ?? ''}`
    return { is: 'failed', problem: { reason: 'RouteNotAccepted', message } }
  }
  const accepted = parents.filter(({ conditions = [] }) =>
    conditions.some(({ type, status: is }) => type === 'Accepted' && is === 'True'),
  )
  if (accepted.length >= (spec?.parentRefs?.length ?? 1)) return undefined
  const message = `HTTPRoute ${name} is written, and not all of its Gateways have accepted it yet`
  return { is: 'pending', problem: { reason: 'RouteNotAccepted', message } }
}
