import type { Finding } from '../../core/discover/checks.ts'
import { readHostedCluster } from '../../core/discover/hostedcluster.ts'
import { askedByAnnotations } from '../../core/plan/annotated.ts'
import { isControlledBy } from '../../runtime/controller/owner.ts'
import { type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import { neighbourhood } from '../hostedcluster/neighbourhood.ts'
import type { Observer } from '../shared/operator.ts'

/** What becomes of the annotations of a HostedCluster, where it is not what they ask for. */
export function annotationFindings(observer: Observer, live: KubeObject): Finding[] {
  const asked = askedByAnnotations(readHostedCluster(live), neighbourhood(observer, live))
  if (!asked.ok) return asked.problems.map((problem) => ({ ...problem, isWarning: false }))
  if (!asked.value || live.metadata.deletionTimestamp) return []
  const { infras, clusterAttachments } = observer.caches
  const { kind } = asked.value
  const made = (kind === 'Infra' ? infras : clusterAttachments).objects.get(keyOf(live.metadata))
  const name = `${kind} ${keyOf(live.metadata)}`
  if (!made) {
    const message = `${name}, which its annotations ask for, is not there: does the operator run?`
    return [{ reason: 'InfraMissing', message, isWarning: false }]
  }
  if (isControlledBy(made, live)) return []
  const message = `${name} is there already and belongs to somebody else: what the annotations ask for is not made`
  return [{ reason: 'ObjectNotOurs', message, isWarning: false }]
}
