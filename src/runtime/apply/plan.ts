import type { Kind } from '../kube/kind.ts'
import { type Key, type KubeObject, keyOf } from '../kube/object.ts'

/** An object that should be, with its kind. Only the fields that are ours. */
export interface Desired {
  readonly kind: Kind
  readonly object: KubeObject
  /** It is sent when all of a lower step were: refused or of no use without them. By default 0. */
  readonly step?: number | undefined
  /** Waited for before it is made: for what is better sent together with others. */
  readonly departure?: (() => Promise<void>) | undefined
}

/** An object that is. */
export interface Existing {
  readonly kind: Kind
  readonly object: KubeObject
}

export interface ApplyPlan {
  readonly create: readonly Desired[]
  readonly update: readonly { readonly desired: Desired; readonly existing: KubeObject }[]
  /** Ours, and not wanted any more. */
  readonly prune: readonly Existing[]
  /** Of a name that we want, but somebody else's: never touched. */
  readonly foreign: readonly Existing[]
}

/**
 * What has to be done so that of all existing objects that are ours exactly the desired ones remain. An object that is
 * being deleted is neither updated nor pruned: it is gone soon, and then this is asked again.
 */
export function planApply(
  desired: readonly Desired[],
  existing: readonly Existing[],
  isOurs: (object: KubeObject) => boolean,
): ApplyPlan {
  const wanted = new Map(desired.map((item) => [identify(item), item]))
  const known = new Map(existing.map((item) => [identify(item), item]))
  const update: { desired: Desired; existing: KubeObject }[] = []
  const create: Desired[] = []
  const foreign: Existing[] = []
  for (const [id, item] of wanted) {
    const found = known.get(id)
    if (!found) create.push(item)
    else if (!isOurs(found.object)) foreign.push(found)
    else if (!isLeaving(found.object)) update.push({ desired: item, existing: found.object })
  }
  const prune = [...known].filter(([id, { object }]) => !wanted.has(id) && isOurs(object) && !isLeaving(object))
  return { create, update, foreign, prune: prune.map(([, item]) => item) }
}

/** Group and kind with the key: the version an object was read in is not part of what it is. */
export function identify({ kind, object }: Desired | Existing): Key {
  return `${kind.apiVersion.replace(/\/?[^/]*$/, '')}/${kind.kind}/${keyOf(object.metadata)}`
}

function isLeaving(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined
}
