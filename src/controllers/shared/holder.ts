import { apiGroup } from '../../api/meta.ts'
import { controllerOf } from '../../runtime/controller/owner.ts'
import { type KubeObject, keyOf, type OwnerReference } from '../../runtime/kube/object.ts'
import type { Caches } from './caches.ts'
import { infraKind, type OwnObject } from './kinds.ts'

/**
 * When an object is deleted in the foreground, the garbage collector deletes at once what it owns, whatever finalizers
 * it has; but what has another owner too only loses the reference to the first. So the components of a hosted cluster,
 * which machines need until their control plane is gone, belong to their namespace as well. Whose they are is noted on
 * them, and the finalizer of that Infra removes them.
 */
export interface Held {
  readonly by: OwnerReference
  readonly forUid: string
}

const infraUidAnnotation = `${apiGroup}/infra-uid`

/** Undefined while the namespace is not known. */
export function heldBy({ namespaces }: Caches, { metadata }: OwnObject): Held | undefined {
  const uid = namespaces.objects.get(metadata.namespace ?? '')?.metadata.uid
  if (uid === undefined || metadata.uid === undefined) return undefined
  const by = { apiVersion: 'v1', kind: 'Namespace', name: metadata.namespace ?? '', uid }
  return { by, forUid: metadata.uid }
}

export function withHolder(object: KubeObject, { by, forUid }: Held): KubeObject {
  const { ownerReferences = [], annotations } = object.metadata
  const metadata = {
    ...object.metadata,
    annotations: { ...annotations, [infraUidAnnotation]: forUid },
    ownerReferences: [...ownerReferences, by],
  }
  return { ...object, metadata }
}

/** Also when the garbage collector has taken away the reference. */
export function isHeldFor({ metadata }: KubeObject, { metadata: { uid } }: KubeObject): boolean {
  return uid !== undefined && metadata.annotations?.[infraUidAnnotation] === uid
}

/** By uid: an Infra of the same name that was made later is another one. */
export function isOfInfra(object: KubeObject, infra: KubeObject): boolean {
  const owner = controllerOf(object)
  return owner ? owner.uid === infra.metadata.uid : isHeldFor(object, infra)
}

/** The object, if it is one of this Infra. */
export function ofInfra(infra: OwnObject, object: OwnObject | undefined): OwnObject | undefined {
  return object && isOfInfra(object, infra) ? object : undefined
}

/** The Infra that a component was made for. */
export function infraOf({ infras }: Caches, component: OwnObject): OwnObject | undefined {
  const owner = controllerOf(component)
  if (owner && owner.kind !== infraKind.kind) return undefined
  const { name, namespace } = component.metadata
  const infra = infras.objects.get(keyOf({ namespace, name: owner?.name ?? name.replace(/-(dhcp|dns|proxy)$/, '') }))
  return infra && isOfInfra(component, infra) ? infra : undefined
}
