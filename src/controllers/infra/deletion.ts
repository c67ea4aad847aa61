import { apiGroup } from '../../api/meta.ts'
import { removeFinalizer } from '../../runtime/controller/finalizer.ts'
import type { Outcome } from '../../runtime/controller/reconcile.ts'
import { keyOf } from '../../runtime/kube/object.ts'
import { infraOfPolicy } from '../shared/caches.ts'
import { clustersOf } from '../shared/clusters.ts'
import { infraKind, networkPolicyKind, type OwnObject } from '../shared/kinds.ts'
import { awaitLeaving } from '../shared/leaving.ts'
import type { Operator } from '../shared/operator.ts'

/** Keeps an Infra until its policies in other namespaces are gone; its components go by garbage collection. */
export const infraFinalizer = `${apiGroup}/network-policies`

/** An Infra that is being deleted: first its control planes, then its policies, then itself. */
export async function cleanUp(operator: Operator, live: OwnObject, signal: AbortSignal): Promise<Outcome | undefined> {
  const { writer } = operator
  if (!live.metadata.finalizers?.includes(infraFinalizer)) return undefined
  const waiting = awaitLeaving(operator, live, clustersOf(operator, live).bound)
  if (waiting) return waiting
  // Asked anew: the cache may not know yet what was made a moment ago.
  const { items } = await writer.list(networkPolicyKind, { labelSelector: 'app.kubernetes.io/managed-by=oooi', signal })
  const ours = items.filter((policy) => infraOfPolicy(policy).includes(keyOf(live.metadata)))
  for (const { metadata } of ours)
    if (metadata.uid) await writer.delete(networkPolicyKind, metadata, metadata.uid, signal)
  await removeFinalizer(writer, infraKind, live, infraFinalizer, signal)
  return undefined
}
