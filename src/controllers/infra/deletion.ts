import { apiGroup } from '../../api/meta.ts'
import { readHostedCluster } from '../../core/discover/hostedcluster.ts'
import { removeFinalizer } from '../../runtime/controller/finalizer.ts'
import type { Outcome } from '../../runtime/controller/reconcile.ts'
import { keyOf } from '../../runtime/kube/object.ts'
import { infraOfPolicy } from '../shared/caches.ts'
import { clustersOf } from '../shared/clusters.ts'
import { infraKind, networkPolicyKind, type OwnObject } from '../shared/kinds.ts'
import { consentOf, type Operator } from '../shared/operator.ts'

/** Keeps an Infra until its policies in other namespaces are gone; its components go by garbage collection. */
export const infraFinalizer = `${apiGroup}/network-policies`

/** After this a control plane that does not go keeps nobody any more. */
const longestWaitMs = 30 * 60_000
const lookAgainMs = 30_000

/** An Infra that is being deleted: first its control planes, then its policies, then itself. */
export async function cleanUp(operator: Operator, live: OwnObject, signal: AbortSignal): Promise<Outcome | undefined> {
  const { writer, clock } = operator
  if (!live.metadata.finalizers?.includes(infraFinalizer)) return undefined
  const leaving = leavingControlPlanes(operator, live)
  const restMs = Date.parse(live.metadata.deletionTimestamp ?? '') + longestWaitMs - clock.now()
  if (leaving.length > 0 && restMs > 0) {
    operator.events.record({
      regarding: live,
      type: 'Normal',
      reason: 'ControlPlaneLeaving',
      action: 'Delete',
      note: `its machines need DHCP, DNS and proxy until ${leaving.join(', ')} is gone`,
    })
    return { requeueAfterMs: Math.min(lookAgainMs, restMs) }
  }
  // Asked anew: the cache may not know yet what was made a moment ago.
  const { items } = await writer.list(networkPolicyKind, { labelSelector: 'app.kubernetes.io/managed-by=oooi', signal })
  const ours = items.filter((policy) => infraOfPolicy(policy).includes(keyOf(live.metadata)))
  for (const { metadata } of ours)
    if (metadata.uid) await writer.delete(networkPolicyKind, metadata, metadata.uid, signal)
  await removeFinalizer(writer, infraKind, live, infraFinalizer, signal)
  return undefined
}

/**
 * Control planes that are being taken down together with this Infra. HyperShift drains and removes the machines first,
 * and for that they have to be reached.
 */
export function leavingControlPlanes(operator: Operator, live: OwnObject): string[] {
  const consent = consentOf(operator)
  return clustersOf(operator, live).bound.flatMap(({ claim: { hostedCluster, controlPlaneNamespace } }) => {
    const object = hostedCluster && operator.caches.hostedClusters.objects.get(keyOf(hostedCluster))
    if (!hostedCluster || !object || !readHostedCluster(object).isBeingDeleted) return []
    const isThere = consent.hostedClustersOf(controlPlaneNamespace).includes(keyOf(hostedCluster))
    return isThere ? [`HostedControlPlane ${controlPlaneNamespace}/${hostedCluster.name}`] : []
  })
}
