import { apiVersion as ownApiVersion } from '../../api/meta.ts'
import { managedBy, managedByLabel, type RenderedObject } from '../../core/render/object.ts'
import type { Problem } from '../../core/result.ts'
import { ApplySet } from '../../runtime/apply/apply-set.ts'
import type { Existing } from '../../runtime/apply/plan.ts'
import { controllerReference, isControlledBy } from '../../runtime/controller/owner.ts'
import type { KubeClient } from '../../runtime/kube/client.ts'
import { ApiError } from '../../runtime/kube/error.ts'
import { type Kind, objectPath } from '../../runtime/kube/kind.ts'
import { describe, type KubeObject } from '../../runtime/kube/object.ts'
import { type Held, isHeldFor, withHolder } from './holder.ts'
import { plain } from './plain.ts'

/** Of one of our own kinds, with fields that are undefined. */
interface OwnResource {
  readonly apiVersion: typeof ownApiVersion
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined }
}

/** An object that shall be there, and whether it shall go with its owner. */
export interface Wanted {
  readonly kind: Kind
  readonly object: RenderedObject | KubeObject | OwnResource
  /** It outlives its owner: the next one of that name finds it again by its labels. */
  readonly isKept?: boolean
  readonly step?: number
  readonly departure?: () => Promise<void>
}

export interface Performed {
  /** Everything wanted that is there now, as it is. */
  readonly objects: readonly KubeObject[]
  readonly problems: readonly Problem[]
  /** Something is in the way whose end no watch will tell. */
  readonly lookAgain: boolean
}

/** Makes the objects of one owner so, and says what stands in the way. */
export class OwnedObjects {
  readonly #client: KubeClient
  readonly #set: ApplySet
  /** Whether an owner that is deleted in the foreground waits for them. */
  readonly #isBlocking: boolean

  constructor(client: KubeClient, { isBlocking }: { readonly isBlocking: boolean } = { isBlocking: true }) {
    this.#client = client
    this.#isBlocking = isBlocking
    this.#set = new ApplySet(client)
  }

  async make(
    owner: KubeObject,
    wanted: readonly Wanted[],
    existing: readonly Existing[],
    signal: AbortSignal,
    held?: Held,
  ): Promise<Performed> {
    const desired = wanted.map(({ object: asked, isKept = false, ...how }) => {
      const object = isOwn(asked) ? plain(asked) : asked
      if (isKept) return { ...how, isKept, object }
      const owned = withOwner(object, owner, this.#isBlocking)
      return { ...how, isKept, object: held ? withHolder(owned, held) : owned }
    })
    const kept = new Set(desired.filter(({ isKept }) => isKept).map(({ object }) => describe(object)))
    const isOurs = (object: KubeObject): boolean =>
      isControlledBy(object, owner) || isHeldFor(object, owner) || (kept.has(describe(object)) && isKeptObject(object))
    try {
      const { created, applied, unchanged, foreign } = await this.#set.apply({
        of: owner.metadata.uid ?? '',
        desired,
        existing,
        isOurs,
        signal,
      })
      const problems = foreign.map(notOurs)
      return { objects: [...created, ...applied, ...unchanged], problems, lookAgain: foreign.length > 0 }
    } catch (error) {
      const blocked = await this.#replaceIfUnchangeable(error, desired, isOurs, signal)
      if (!blocked) throw error
      return { objects: [], problems: [], lookAgain: true }
    }
  }

  /** For an owner that is gone. */
  forget({ metadata: { uid = '' } }: KubeObject): void {
    this.#set.forget(uid)
  }

  /**
   * Fields such as the selector of a Deployment cannot be changed. One of ours that has another (made by an earlier
   * program for the same component) has to go before ours can come. Volumes are never replaced: they hold leases.
   */
  async #replaceIfUnchangeable(
    error: unknown,
    desired: readonly { kind: Kind; object: KubeObject }[],
    isOurs: (object: KubeObject) => boolean,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (!(error instanceof ApiError) || error.status !== 422 || !isAboutUnchangeable(error)) return false
    const { url } = error
    const culprit = desired.find(({ kind, object }) => url.split('?')[0]?.endsWith(objectPath(kind, object.metadata)))
    if (!culprit || culprit.kind.kind === 'PersistentVolumeClaim') return false
    const found = await this.#client.get(culprit.kind, culprit.object.metadata, signal)
    if (!found?.metadata.uid || !isOurs(found)) return false
    await this.#client.delete(culprit.kind, found.metadata, found.metadata.uid, signal)
    return true
  }
}

/** What the API server said against an object, as a problem to be told while it is tried again. */
export function refusalOf(error: unknown): Problem[] {
  if (!(error instanceof ApiError) || error.status < 400 || error.status >= 500 || error.status === 409) return []
  return [{ reason: 'ApplyFailed', message: error.message }]
}

function isAboutUnchangeable({ message }: ApiError): boolean {
  return message.includes('field is immutable') || message.includes('cannot change roleRef')
}

function isOwn(object: Wanted['object']): object is OwnResource {
  return object.apiVersion === ownApiVersion
}

function withOwner(object: KubeObject, owner: KubeObject, blockOwnerDeletion: boolean): KubeObject {
  const reference = { ...controllerReference(owner), blockOwnerDeletion }
  return { ...object, metadata: { ...object.metadata, ownerReferences: [reference] } }
}

function isKeptObject({ metadata }: KubeObject): boolean {
  return metadata.labels?.[managedByLabel] === managedBy
}

/** Something of that name is in the way. */
export function notOurs(object: KubeObject): Problem {
  const message = `${describe(object)} is there already and belongs to somebody else: it is left alone`
  return { reason: 'ObjectNotOurs', message }
}
