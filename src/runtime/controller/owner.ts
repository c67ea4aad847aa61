import { groupOf, type Kind } from '../kube/kind.ts'
import { describe, type Key, type KubeObject, keyOf, type OwnerReference } from '../kube/object.ts'

/** Who owns what: the reference that makes garbage collection work, and the way back from an object to its owner. */

/** The reference to put into objects that exist only because of this owner, in its own namespace. */
export function controllerReference(owner: KubeObject): OwnerReference {
  const { name, uid } = owner.metadata
  if (!uid) throw new Error(`${describe(owner)} has no uid yet, so nothing can refer to it.`)
  const { apiVersion, kind } = owner
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/** By uid: an owner of the same name that was made later is somebody else. */
export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  return owner.metadata.uid !== undefined && controllerOf(object)?.uid === owner.metadata.uid
}

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true)
}

/** Maps an object to the key of the owner of this kind that controls it; whatever version the reference is written in. */
export function controllerKeys(kind: Kind): (object: KubeObject) => Key[] {
  return (object) => {
    const owner = controllerOf(object)
    if (owner?.kind !== kind.kind || groupOf(owner.apiVersion) !== groupOf(kind.apiVersion)) return []
    return [keyOf({ name: owner.name, namespace: kind.namespaced ? object.metadata.namespace : undefined })]
  }
}
