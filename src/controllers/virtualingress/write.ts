import type { RenderedObject } from '../../core/render/object.ts'
import type { Problem } from '../../core/result.ts'
import { ApplySet } from '../../runtime/apply/apply-set.ts'
import { fingerprint } from '../../runtime/apply/fingerprint.ts'
import type { Existing } from '../../runtime/apply/plan.ts'
import { controllerReference, isControlledBy } from '../../runtime/controller/owner.ts'
import type { KubeClient } from '../../runtime/kube/client.ts'
import { ApiError } from '../../runtime/kube/error.ts'
import type { Kind } from '../../runtime/kube/kind.ts'
import { describe, type KubeObject } from '../../runtime/kube/object.ts'
import type { Caches } from '../shared/caches.ts'
import { endpointSliceKind, httpRouteKind, ingressKind, serviceKind } from '../shared/kinds.ts'

const madeKinds: Readonly<Record<string, Kind>> = {
  Ingress: ingressKind,
  HTTPRoute: httpRouteKind,
  Service: serviceKind,
  EndpointSlice: endpointSliceKind,
}

/** What leads requests, not what it needs for that. */
export function isRoute({ kind }: KubeObject): boolean {
  return kind === 'Ingress' || kind === 'HTTPRoute'
}

/** What was done to the objects of one VirtualIngress. */
export interface Written {
  readonly created: readonly KubeObject[]
  /** Changed because something else is wanted of them. */
  readonly updated: readonly KubeObject[]
  /** Changed back: the same was wanted before, and somebody had changed them. */
  readonly corrected: readonly KubeObject[]
  readonly removed: readonly KubeObject[]
  /** All that is there now. */
  readonly objects: readonly KubeObject[]
  /** Somebody else's, of a name that is wanted. */
  readonly foreign: readonly KubeObject[]
}

/** Makes the objects of VirtualIngresses, and asks the API server about those that are not made. */
export class GeneratedObjects {
  readonly #client: KubeClient
  readonly #caches: Caches
  readonly #set: ApplySet
  /** What was wanted last, by the uid of the owner. */
  readonly #intents = new Map<string, ReadonlyMap<string, string>>()
  readonly #rehearsals = new Map<string, { readonly draft: string; readonly problems: readonly Problem[] }>()

  readonly #isOurs: (object: KubeObject, owner: KubeObject) => boolean

  /** `isOurs`: what may be changed and removed; of an owner of our own kind, all that it controls. */
  constructor(client: KubeClient, caches: Caches, isOurs: typeof isControlledBy = isControlledBy) {
    this.#client = client
    this.#caches = caches
    this.#isOurs = isOurs
    this.#set = new ApplySet(client)
  }

  async write(owner: KubeObject, wanted: readonly RenderedObject[], signal: AbortSignal): Promise<Written> {
    const ownerReferences = [controllerReference(owner)]
    const desired = wanted.flatMap((object) => {
      const kind = madeKinds[object.kind]
      // Nothing is led to an alias that is not there yet.
      const step = isRoute(object) ? 1 : 0
      return kind ? [{ kind, step, object: { ...object, metadata: { ...object.metadata, ownerReferences } } }] : []
    })
    // One of somebody else is not among these: its name is found taken when ours shall be made.
    const existing = this.ownedBy(owner)
    const versions = new Map(existing.map(({ object }) => [describe(object), object.metadata.resourceVersion]))
    const isOurs = (object: KubeObject): boolean => this.#isOurs(object, owner)
    const report = await this.#set.apply({ of: owner.metadata.uid ?? '', desired, existing, isOurs, signal })
    const { created, applied, unchanged, pruned, foreign } = report

    const changed = applied.filter((object) => versions.get(describe(object)) !== object.metadata.resourceVersion)
    const uid = owner.metadata.uid ?? ''
    const before = this.#intents.get(uid)
    const now = new Map(wanted.map((object) => [describe(object), fingerprint(object)]))
    this.#intents.set(uid, now)
    const isAsBefore = (object: KubeObject): boolean =>
      before?.get(describe(object)) !== undefined && before.get(describe(object)) === now.get(describe(object))
    return {
      created,
      updated: changed.filter((object) => !isAsBefore(object)),
      corrected: changed.filter(isAsBefore),
      removed: pruned,
      objects: [...created, ...applied, ...unchanged],
      foreign,
    }
  }

  /** What the API server has against objects that are not made; asked once as long as they are the same. */
  async rehearse(
    owner: KubeObject,
    draft: readonly RenderedObject[],
    signal: AbortSignal,
  ): Promise<readonly Problem[]> {
    const uid = owner.metadata.uid ?? ''
    const text = fingerprint(draft)
    const known = this.#rehearsals.get(uid)
    if (known?.draft === text) return known.problems
    const problems: Problem[] = []
    for (const object of draft) {
      const kind = madeKinds[object.kind]
      if (!kind || !isRoute(object)) continue
      try {
        await this.#client.rehearse(kind, object, signal)
      } catch (error) {
        const refusal = refusalOf(error, object)
        if (!refusal) throw error
        problems.push(refusal)
      }
    }
    this.#rehearsals.set(uid, { draft: text, problems })
    return problems
  }

  ownedBy(owner: KubeObject): Existing[] {
    const { uid = '' } = owner.metadata
    const { ingresses, httpRoutes, services, endpointSlices } = this.#caches
    const controlled: Existing[] = [
      ...ingresses.objects.byIndex('byOwner', uid).map((object) => ({ kind: ingressKind, object })),
      ...httpRoutes.objects.byIndex('byOwner', uid).map((object) => ({ kind: httpRouteKind, object })),
      ...services.objects.byIndex('byOwner', uid).map((object) => ({ kind: serviceKind, object })),
      ...endpointSlices.objects.byIndex('byOwner', uid).map((object) => ({ kind: endpointSliceKind, object })),
    ]
    return controlled.filter(({ object }) => this.#isOurs(object, owner))
  }

  forget(owner: KubeObject): void {
    const { uid = '' } = owner.metadata
    this.#set.forget(uid)
    this.#intents.delete(uid)
    this.#rehearsals.delete(uid)
  }
}

/** What the API server said against an object, in its own words; undefined if it said something else. */
export function refusalOf(error: unknown, object?: KubeObject): Problem | undefined {
  if (!(error instanceof ApiError)) return undefined
  const isSchema = error.status === 500 && error.said.includes('field not declared in schema')
  const isRefused = [400, 403, 413, 422].includes(error.status)
  if (!isRefused && !isSchema) return undefined
  const which = object ? `${object.kind} ${object.metadata.name}: ` : ''
  return { reason: 'InvalidIngress', message: `${which}the API server refuses it: ${error.said}` }
}
