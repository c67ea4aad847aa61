import type { KubeClient } from './client.ts'
import { ApiError } from './error.ts'
import type { Fence } from './fence.ts'
import type { Kind } from './kind.ts'
import { type KubeObject, keyOf, type ObjectRef } from './object.ts'
import type { Intent } from './options.ts'

type Verb = 'get' | 'create' | 'replace' | 'applyNew' | 'apply' | 'mergePatch' | 'delete'

interface State {
  readonly objects: Map<string, KubeObject>
  readonly calls: string[]
  revision: number
  before: (verb: Verb, key: string) => void | Promise<void>
}

/**
 * A client for tests with the cluster in memory: what a name, a uid and a resourceVersion mean, and nothing else. What
 * an API server does with fields is tested with a real one.
 */
export class FakeCluster implements Pick<KubeClient, Verb> {
  readonly #state: State
  readonly #fence: Fence | undefined

  constructor(state: State = { objects: new Map(), revision: 0, calls: [], before: () => undefined }, fence?: Fence) {
    this.#state = state
    this.#fence = fence
  }

  /** `verb Kind key` of every call. */
  get calls(): string[] {
    return this.#state.calls
  }

  /** Called before every call; may throw, wait, or change the world. */
  set before(run: State['before']) {
    this.#state.before = run
  }

  /** As seen from outside, without a call. */
  peek(kind: Kind, key: string): KubeObject | undefined {
    return this.#state.objects.get(`${kind.kind} ${key}`)
  }

  fencedBy(fence: Fence): FakeCluster {
    return new FakeCluster(this.#state, fence)
  }

  async get<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef): Promise<T | undefined> {
    const id = await this.#begin('get', kind, ref)
    // Objects are filed under their kind, so this is one of it.
    return this.#state.objects.get(id) as T | undefined
  }

  async create<T extends KubeObject>(kind: Kind<T>, object: NoInfer<T>): Promise<T> {
    const id = await this.#begin('create', kind, object.metadata)
    if (this.#state.objects.has(id)) throw refused(409, 'AlreadyExists', object.metadata)
    return this.#store(id, object, `uid-${this.#state.revision + 1}`)
  }

  async applyNew<T extends KubeObject>(kind: Kind<T>, object: NoInfer<T>): Promise<T> {
    const id = await this.#begin('applyNew', kind, object.metadata)
    if (this.#state.objects.has(id)) throw refused(409, 'AlreadyExists', object.metadata)
    return this.#store(id, object, `uid-${this.#state.revision + 1}`)
  }

  async replace<T extends KubeObject>(kind: Kind<T>, object: NoInfer<T>): Promise<T> {
    const id = await this.#begin('replace', kind, object.metadata)
    const known = this.#state.objects.get(id)
    if (!known) throw refused(404, 'NotFound', object.metadata)
    if (known.metadata.resourceVersion !== object.metadata.resourceVersion)
      throw refused(409, 'Conflict', object.metadata)
    return this.#store(id, object, known.metadata.uid ?? '')
  }

  async apply<T extends KubeObject>(kind: Kind<T>, object: Intent<NoInfer<T>>, uid: string): Promise<T> {
    const id = await this.#begin('apply', kind, object.metadata)
    if (this.#state.objects.get(id)?.metadata.uid !== uid) throw refused(409, 'Conflict', object.metadata)
    return this.#store(id, { ...object }, uid) as unknown as T
  }

  async mergePatch<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, patch: object): Promise<T> {
    const id = await this.#begin('mergePatch', kind, ref)
    const known = this.#state.objects.get(id)
    if (!known) throw refused(404, 'NotFound', ref)
    const merged = {
      ...known,
      ...patch,
      metadata: { ...known.metadata, ...('metadata' in patch ? Object(patch.metadata) : {}) },
    }
    if (merged.metadata.resourceVersion !== known.metadata.resourceVersion) throw refused(409, 'Conflict', ref)
    return this.#store(id, merged, known.metadata.uid ?? '') as unknown as T
  }

  async delete(kind: Kind, ref: ObjectRef, uid: string): Promise<void> {
    const id = await this.#begin('delete', kind, ref)
    const known = this.#state.objects.get(id)
    if (known && known.metadata.uid !== uid) throw refused(409, 'Conflict', ref)
    this.#state.objects.delete(id)
  }

  async #begin(verb: Verb, kind: Kind, ref: ObjectRef): Promise<string> {
    await this.#state.before(verb, keyOf(ref))
    if (verb !== 'get') this.#fence?.()
    this.calls.push(`${verb} ${kind.kind} ${keyOf(ref)}`)
    return `${kind.kind} ${keyOf(ref)}`
  }

  #store<T extends KubeObject>(id: string, object: T, uid: string): T {
    const metadata = { ...object.metadata, uid, resourceVersion: String(++this.#state.revision) }
    const stored = { ...object, metadata }
    this.#state.objects.set(id, stored)
    return stored
  }
}

function refused(status: number, reason: string, ref: ObjectRef): ApiError {
  return new ApiError({ method: 'TEST', url: keyOf(ref), status, reason, message: reason, objectName: ref.name })
}
