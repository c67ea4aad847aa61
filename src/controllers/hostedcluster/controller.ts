import { readHostedCluster } from '../../core/discover/hostedcluster.ts'
import { type Asked, askedByAnnotations } from '../../core/plan/annotated.ts'
import type { Problem } from '../../core/result.ts'
import { Controller } from '../../runtime/controller/controller.ts'
import { controllerKeys } from '../../runtime/controller/owner.ts'
import type { Reconcile } from '../../runtime/controller/reconcile.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import { clusterAttachmentKind, type ForeignObject, hostedClusterKind, infraKind } from '../shared/kinds.ts'
import { OwnedObjects, refusalOf, type Wanted } from '../shared/objects.ts'
import type { Operator } from '../shared/operator.ts'
import { neighbourhood } from './neighbourhood.ts'

const lookAgainMs = 60_000

/** HostedCluster: the Infra or the attachment that its annotations ask for. What a person wrote is never touched. */
export function hostedClusterController(operator: Operator): Controller {
  const { caches, writer, clock, log, events } = operator
  // Not blocking: HyperShift needs the machines, and these need us, until the HostedCluster is really gone.
  const owned = new OwnedObjects(writer, { isBlocking: false })
  /** What was told last about each, so that it is told once. */
  const told = new Map<string, string>()

  const reconcile: Reconcile = async (key, { signal }) => {
    const live = caches.hostedClusters.objects.get(key)
    if (!live || live.metadata.deletionTimestamp) return undefined
    const asked = askedByAnnotations(readHostedCluster(live), neighbourhood(operator, live))
    if (!asked.ok) {
      tell(live, asked.problems)
      return undefined
    }
    const existing = existingOf(operator, live)
    if (!asked.value && existing.length === 0) return undefined
    try {
      const { problems, lookAgain } = await owned.make(live, wantedOf(asked.value), existing, signal)
      tell(live, problems)
      return lookAgain ? { requeueAfterMs: lookAgainMs } : undefined
    } catch (error) {
      tell(live, refusalOf(error))
      throw error
    }
  }

  /** Its status is HyperShift's, so what is wrong is said by events. */
  function tell(live: ForeignObject, problems: readonly Problem[]): void {
    const { uid = '' } = live.metadata
    const note = problems.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join('; ')
    const isNews = note !== '' && told.get(uid) !== note
    told.set(uid, note)
    const [first] = problems
    if (isNews && first) events.record({ regarding: live, type: 'Warning', reason: first.reason, action: 'Make', note })
  }

  const controller = new Controller({ name: 'hostedclusters', reconcile, clock, log, workers: 2 })
  controller.watch(caches.hostedClusters)
  for (const cache of [caches.infras, caches.clusterAttachments]) {
    controller.watch(cache, controllerKeys(hostedClusterKind))
  }
  caches.hostedClusters.onChange(({ type, object }) => {
    if (type !== 'deleted') return
    told.delete(object.metadata.uid ?? '')
    owned.forget(object)
  })
  return controller
}

function wantedOf(asked: Asked | undefined): Wanted[] {
  if (!asked) return []
  return asked.kind === 'Infra'
    ? [{ kind: infraKind, object: asked.infra }]
    : [{ kind: clusterAttachmentKind, object: asked.attachment }]
}

function existingOf({ caches }: Operator, { metadata: { uid = '' } }: KubeObject) {
  return [
    ...caches.infras.objects.byIndex('byOwner', uid).map((object) => ({ kind: infraKind, object })),
    ...caches.clusterAttachments.objects
      .byIndex('byOwner', uid)
      .map((object) => ({ kind: clusterAttachmentKind, object })),
  ]
}
