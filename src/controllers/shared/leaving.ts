import { readHostedCluster } from '../../core/discover/hostedcluster.ts'
import type { Outcome } from '../../runtime/controller/reconcile.ts'
import { keyOf } from '../../runtime/kube/object.ts'
import type { GatheredClusters } from './clusters.ts'
import type { OwnObject } from './kinds.ts'
import { consentOf, type Operator } from './operator.ts'

/** After this a control plane that does not go keeps nobody any more. */
const longestWaitMs = 30 * 60_000
const lookAgainMs = 30_000

/**
 * An object that is being deleted stays while one of these control planes is being taken down: HyperShift drains and
 * removes the machines first, and for that they have to be reached. Tells when to look again; undefined: it may go.
 */
export function awaitLeaving(
  operator: Operator,
  live: OwnObject,
  bound: GatheredClusters['bound'],
): Outcome | undefined {
  const leaving = leavingControlPlanes(operator, bound)
  const restMs = Date.parse(live.metadata.deletionTimestamp ?? '') + longestWaitMs - operator.clock.now()
  if (leaving.length === 0 || restMs <= 0) return undefined
  operator.events.record({
    regarding: live,
    type: 'Normal',
    reason: 'ControlPlaneLeaving',
    action: 'Delete',
    note: `its machines need DHCP, DNS and proxy until ${leaving.join(', ')} is gone`,
  })
  return { requeueAfterMs: Math.min(lookAgainMs, restMs) }
}

function leavingControlPlanes(operator: Operator, bound: GatheredClusters['bound']): string[] {
  const consent = consentOf(operator)
  return bound.flatMap(({ claim: { hostedCluster, controlPlaneNamespace } }) => {
    const object = hostedCluster && operator.caches.hostedClusters.objects.get(keyOf(hostedCluster))
    if (!hostedCluster || !object || !readHostedCluster(object).isBeingDeleted) return []
    const isThere = consent.hostedClustersOf(controlPlaneNamespace).includes(keyOf(hostedCluster))
    return isThere ? [`HostedControlPlane ${controlPlaneNamespace}/${hostedCluster.name}`] : []
  })
}
