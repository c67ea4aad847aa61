import { kinds } from '../../api/kinds.ts'
import type { Controller } from '../../runtime/controller/controller.ts'
import { controllerKeys } from '../../runtime/controller/owner.ts'
import { type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import type { Caches } from '../shared/caches.ts'
import { type OwnObject, virtualIngressKind } from '../shared/kinds.ts'
import { understand } from '../shared/read.ts'
import { sharersOf } from './sharers.ts'

interface Concerned {
  /** Who waits for this object of somebody else to make room; told once. */
  readonly waitingFor: (object: KubeObject) => string | undefined
  readonly forget: (object: OwnObject) => void
}

/** What makes a VirtualIngress worth another look. Services that its labels mean are followed by `Services`. */
export function watchVirtualIngresses(controller: Controller, caches: Caches, { waitingFor, forget }: Concerned): void {
  controller.watch(caches.virtualIngresses)
  const toOwner = controllerKeys(virtualIngressKind)
  for (const cache of [caches.ingresses, caches.httpRoutes]) {
    controller.watch(cache, toOwner)
    cache.onChange(({ object }) => {
      const waiting = waitingFor(object)
      if (waiting !== undefined) controller.trigger(waiting)
    })
  }
  controller.watch(caches.services, toOwner)
  controller.watch(caches.endpointSlices, toOwner)
  caches.httpRoutes.onInstalled(() => {
    for (const { metadata } of caches.virtualIngresses.objects.list()) controller.trigger(keyOf(metadata))
  })
  /** Who wanted the same route has nobody beside it any more, or somebody. */
  const triggerSharers = (object: OwnObject): void => {
    const { resource } = understand('VirtualIngress', kinds.VirtualIngress, object)
    for (const { other } of resource ? sharersOf(caches, resource) : []) controller.trigger(keyOf(other.metadata))
  }
  caches.virtualIngresses.onChange((change) => {
    triggerSharers(change.object)
    if (change.type === 'updated') triggerSharers(change.previous)
    if (change.type === 'deleted') forget(change.object)
  })
}
