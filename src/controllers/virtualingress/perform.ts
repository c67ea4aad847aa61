import { apiGroup } from '../../api/meta.ts'
import type { VirtualIngress } from '../../api/virtualingress.ts'
import type { Problem } from '../../core/result.ts'
import type { Generation } from '../../core/virtualingress/generate.ts'
import type { Outcome } from '../../core/virtualingress/status.ts'
import { addFinalizer } from '../../runtime/controller/finalizer.ts'
import { describe } from '../../runtime/kube/object.ts'
import { type OwnObject, virtualIngressKind } from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'
import { type GeneratedObjects, isRoute, refusalOf, type Written } from './write.ts'

/** Keeps a VirtualIngress until what was made of it is gone. */
export const virtualIngressFinalizer = `${apiGroup}/generated-objects`

export interface Performed {
  readonly outcome: Outcome
  readonly problems: readonly Problem[]
  readonly written?: Written
  readonly hasWritten: boolean
  /** What the API server refused, to be tried again. */
  readonly failure?: unknown
}

/** Makes what was generated so, or only tries it where nothing is to be written. */
export async function perform(
  { caches, writer, settings }: Operator,
  made: GeneratedObjects,
  live: OwnObject,
  { spec }: VirtualIngress,
  { problems, is, wanted, draft }: Generation,
  signal: AbortSignal,
): Promise<Performed> {
  if (problems.length > 0) return { outcome: { is: 'held' }, problems: [], hasWritten: false }
  if (spec.output === 'HTTPRoute' && caches.httpRoutes.installed !== true) {
    const message = settings.virtualIngress.gatewayApi
      ? 'the cluster does not know HTTPRoutes: install the Gateway API, or set output to Ingress'
      : 'the operator was told to make no HTTPRoutes (--gateway-api=false): switch them on, or set output to Ingress'
    const problem: Problem = { reason: 'GatewayApiMissing', message }
    return { outcome: { is: 'failed', problem }, problems: [], hasWritten: false }
  }
  if (spec.suspend || is === 'held') {
    const refusals = await made.rehearse(live, [...wanted, ...draft], signal)
    return { outcome: { is: spec.suspend ? 'suspended' : 'held' }, problems: refusals, hasWritten: false }
  }
  if (is === 'withdrawn') {
    const refusals = await made.rehearse(live, draft, signal)
    const written = await made.write(live, [], signal)
    return { outcome: { is }, problems: refusals, written, hasWritten: written.removed.length > 0 }
  }
  await addFinalizer(writer, virtualIngressKind, live, virtualIngressFinalizer, signal)
  const written = await made.write(live, wanted, signal)
  const hasWritten = [written.created, written.updated, written.corrected].some(({ length }) => length > 0)
  return { outcome: outcomeOf(written), problems: [], written, hasWritten }
}

/** What the API server refuses is an outcome too. */
export function refused(failure: unknown): Performed {
  const problem = refusalOf(failure)
  if (!problem) throw failure
  return { outcome: { is: 'failed', problem }, problems: [problem], hasWritten: false, failure }
}

function outcomeOf({ foreign, objects }: Written): Outcome {
  const [other] = foreign
  if (!other) {
    const what = objects.filter(isRoute).map(describe)
    return { is: 'written', what: `${what.slice(0, 3).join(', ')}${what.length > 3 ? ', ...' : ''}` }
  }
  const message = `${describe(other)} is there already and belongs to somebody else: it is left alone; give another name in spec.generated.name`
  return { is: 'failed', problem: { reason: 'NameConflict', message } }
}
