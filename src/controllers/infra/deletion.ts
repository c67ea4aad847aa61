import { apiGroup } from '../../api/meta.ts'
import { isBeingDeleted, removeFinalizer } from '../../runtime/controller/finalizer.ts'
import type { Outcome } from '../../runtime/controller/reconcile.ts'
import type { Kind } from '../../runtime/kube/kind.ts'
import { type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import type { ListOptions } from '../../runtime/kube/options.ts'
import { infraOfPolicy } from '../shared/caches.ts'
import { clustersOf } from '../shared/clusters.ts'
import { isOfInfra } from '../shared/holder.ts'
import { infraKind, infraOwnedKinds, networkPolicyKind, type OwnObject } from '../shared/kinds.ts'
import { awaitLeaving } from '../shared/leaving.ts'
import type { Operator } from '../shared/operator.ts'

/** Keeps an Infra until its policies in other namespaces are gone, and its components while machines need them. */
export const infraFinalizer = `${apiGroup}/network-policies`

/** The garbage collector takes this finalizer away as soon as nothing refers to the object any more. */
export function isBeingOrphaned(object: KubeObject): boolean {
  return isBeingDeleted(object) && object.metadata.finalizers?.includes('orphan') === true
}

/** An Infra that is being deleted: first its control planes, then its components and policies, then itself. */
export async function cleanUp(
  operator: Operator,
  live: OwnObject,
  isOrphaned: boolean,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { writer } = operator
  const { namespace, finalizers } = live.metadata
  if (!finalizers?.includes(infraFinalizer)) return undefined
  const waiting = isOrphaned ? undefined : awaitLeaving(operator, live, clustersOf(operator, live).bound)
  if (waiting) return waiting
  // Asked anew: the cache may not know yet what was made a moment ago.
  const remove = async (kind: Kind, query: ListOptions, isOurs: (object: KubeObject) => boolean): Promise<void> => {
    const { items } = await writer.list(kind, { ...query, signal })
    for (const { metadata } of items.filter(isOurs)) {
      if (metadata.uid) await writer.delete(kind, metadata, metadata.uid, signal)
    }
  }
  // Of a hosted cluster they belong to their namespace too, so nobody else removes them.
  const components = isOrphaned ? [] : Object.values(infraOwnedKinds)
  for (const kind of components) await remove(kind, { namespace }, (object) => isOfInfra(object, live))
  const labelSelector = 'app.kubernetes.io/managed-by=oooi'
  await remove(networkPolicyKind, { labelSelector }, (policy) => infraOfPolicy(policy).includes(keyOf(live.metadata)))
  await removeFinalizer(writer, infraKind, live, infraFinalizer, signal)
  return undefined
}
