import { readHostedCluster } from '../../core/discover/hostedcluster.ts'
import type { Outcome } from '../../runtime/controller/reconcile.ts'
import { keyOf } from '../../runtime/kube/object.ts'
import type { GatheredClusters } from './clusters.ts'
import type { OwnObject } from './kinds.ts'
import { consentOf, type Operator } from './operator.ts'

/** After this a control plane that does not go keeps nobody any more. */
const longestWaitMs = 30 * 60_000
const lookAgainMs = 30_000
/** Who deletes a folder of manifests deletes the HostedCluster a moment before or after. */
const sameTimeMs = 3000

/**
 * An object that is being deleted stays while one of these control planes is being taken down: HyperShift drains and
 * removes the machines first, and for that they have to be reached. Whether it is shows a moment later, too. Tells when
 * to look again; undefined: it may go.
 */
export function awaitLeaving(
  operator: Operator,
  live: OwnObject,
  bound: GatheredClusters['bound'],
): Outcome | undefined {
  const planes = controlPlanes(operator, bound)
  const leaving = planes.flatMap(({ name, isLeaving }) => (isLeaving ? [name] : []))
  const sinceMs = operator.clock.now() - Date.parse(live.metadata.deletionTimestamp ?? '')
  const restMs = longestWaitMs - sinceMs
  if (leaving.length === 0) {
    // Not by a clock that is far from the API server's: nobody is kept for as long as they differ.
    const isRecent = planes.length > 0 && Math.abs(sinceMs) < sameTimeMs
    return isRecent ? { requeueAfterMs: sameTimeMs - sinceMs } : undefined
  }
  if (restMs <= 0) return undefined
  operator.events.record({
    regarding: live,
    type: 'Normal',
    reason: 'ControlPlaneLeaving',
    action: 'Delete',
    note: `its machines need DHCP, DNS and proxy until ${leaving.join(', ')} is gone`,
  })
  return { requeueAfterMs: Math.min(lookAgainMs, restMs) }
}

/** Those that are there. */
function controlPlanes(operator: Operator, bound: GatheredClusters['bound']): { name: string; isLeaving: boolean }[] {
  const consent = consentOf(operator)
  return bound.flatMap(({ claim: { hostedCluster, controlPlaneNamespace } }) => {
    const object = hostedCluster && operator.caches.hostedClusters.objects.get(keyOf(hostedCluster))
    if (!object || !consent.hostedClustersOf(controlPlaneNamespace).includes(keyOf(hostedCluster))) return []
    const name = `HostedControlPlane ${controlPlaneNamespace}/${hostedCluster.name}`
    return [{ name, isLeaving: readHostedCluster(object).isBeingDeleted }]
  })
}
