import type { Controller } from '../../runtime/controller/controller.ts'
import { type Key, keyOf } from '../../runtime/kube/object.ts'
import type { Caches } from '../shared/caches.ts'
import { infrasBoundTo, infrasOfHostedCluster } from '../shared/clusters.ts'
import { infraOfAttachment } from '../shared/read.ts'

/** Everything whose change can change what an attachment says. */
export function watchAttachments(controller: Controller, caches: Caches): void {
  const attachedTo = (infra: Key): Key[] =>
    caches.clusterAttachments.objects.byIndex('byInfra', infra).map(({ metadata }) => keyOf(metadata))
  const toAttachments = (infras: readonly Key[]): Key[] => infras.flatMap(attachedTo)
  // Those attached to the same Infra may have been in its way, or not any more.
  controller.watch(caches.clusterAttachments, (object) => [
    keyOf(object.metadata),
    ...toAttachments(infraOfAttachment(object)),
  ])
  controller.watch(caches.infras, ({ metadata }) => attachedTo(keyOf(metadata)))
  controller.watch(caches.hostedClusters, ({ metadata }) =>
    toAttachments(infrasOfHostedCluster(caches, keyOf(metadata))),
  )
  for (const cache of [caches.routes, caches.hostedControlPlanes, caches.services]) {
    controller.watch(cache, ({ metadata }) => toAttachments(infrasBoundTo(caches, metadata.namespace)))
  }
}
