import { type ComponentRole, componentLabel } from '../../core/render/object.ts'
import { attachmentOf, placeOf } from '../../core/render/render.ts'
import type { Informer } from '../../runtime/cache/informer.ts'
import type { Controller } from '../../runtime/controller/controller.ts'
import { controllerKeys } from '../../runtime/controller/owner.ts'
import { type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import type { Component, ComponentKind } from './component-kind.ts'
import type { OwnObject } from './kinds.ts'
import { followNeighbours } from './neighbours.ts'
import type { Operator } from './operator.ts'
import { understand } from './read.ts'

/** Everything whose change can change what a component of this kind needs or says, whichever kind it is. */
export function watchComponents<Resource extends Component>(
  operator: Operator,
  controller: Controller,
  part: ComponentKind<Resource>,
): void {
  const { role, kind, informer } = part
  const { serviceAccounts, roles, roleBindings, claims, deployments, services, pods } = operator.caches
  const toOwner = controllerKeys(kind)
  controller.watch(informer)
  for (const cache of [serviceAccounts, roles, roleBindings, deployments]) controller.watch(cache, toOwner)
  controller.watch(services, toOwner)
  controller.watch(claims, (object) => [...toOwner(object), ...toComponent(role, object)])
  controller.watch(pods, (pod) => toComponent(role, pod))
  followNeighbours(operator, controller, role)
  watchAttachments(operator, controller, part)
}

function toComponent({ app }: ComponentRole, { metadata: { namespace, labels } }: KubeObject): string[] {
  const name = labels?.[componentLabel]
  return name !== undefined && labels?.app === app ? [`${namespace}/${name}`] : []
}

/** Definitions come and go rarely: then all components of the kind are asked whether it is theirs. */
function watchAttachments<Resource extends Component>(
  { caches }: Operator,
  controller: Controller,
  { name, definition, informer }: ComponentKind<Resource>,
): void {
  caches.attachments.onChange(({ object }) => {
    for (const component of informer.objects.list()) {
      const { resource } = understand(name, definition, component)
      if (!resource) continue
      const attachment = attachmentOf(placeOf(resource), resource.spec.networkConfig)
      const isMeant = [attachment.namespace, 'default'].includes(object.metadata.namespace ?? '')
      if (isMeant && attachment.name === object.metadata.name) controller.trigger(keyOf(component.metadata))
    }
  })
  caches.attachments.onInstalled(() => triggerAll(controller, informer))
}

export function triggerAll(controller: Controller, informer: Informer<OwnObject>): void {
  for (const { metadata } of informer.objects.list()) controller.trigger(keyOf(metadata))
}
