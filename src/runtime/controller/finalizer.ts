import type { KubeClient } from '../kube/client.ts'
import { isObjectMissing } from '../kube/error.ts'
import type { Kind } from '../kube/kind.ts'
import type { KubeObject } from '../kube/object.ts'

/**
 * A finalizer keeps an object until what belongs to it elsewhere is cleaned up. Both functions change only our entry of
 * the list, and only of the state they were given: if somebody wrote in between they fail with a conflict, and the
 * reconcile is tried again. (Server-side apply would not do: an entry that was written by another manager too, as after
 * a restore from a backup, would stay for ever.)
 */
export async function addFinalizer<T extends KubeObject>(
  client: Pick<KubeClient, 'mergePatch'>,
  kind: Kind<T>,
  object: T,
  finalizer: string,
  signal?: AbortSignal,
): Promise<T> {
  const { finalizers = [] } = object.metadata
  if (finalizers.includes(finalizer)) return object
  return client.mergePatch(kind, object.metadata, patch(object, [...finalizers, finalizer]), signal)
}

/** That the object is gone already is fine. */
export async function removeFinalizer<T extends KubeObject>(
  client: Pick<KubeClient, 'mergePatch'>,
  kind: Kind<T>,
  object: T,
  finalizer: string,
  signal?: AbortSignal,
): Promise<void> {
  const { finalizers = [] } = object.metadata
  if (!finalizers.includes(finalizer)) return
  const others = finalizers.filter((other) => other !== finalizer)
  try {
    await client.mergePatch(kind, object.metadata, patch(object, others), signal)
  } catch (error) {
    if (!isObjectMissing(error)) throw error
  }
}

export function isBeingDeleted(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined
}

function patch({ metadata: { uid, resourceVersion } }: KubeObject, finalizers: string[]): object {
  return { metadata: { uid, resourceVersion, finalizers } }
}
