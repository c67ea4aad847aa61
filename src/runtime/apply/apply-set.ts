import type { KubeClient } from '../kube/client.ts'
import { isAlreadyExists } from '../kube/error.ts'
import { describe, type Key, type KubeObject } from '../kube/object.ts'
import { fingerprint, liveFingerprint } from './fingerprint.ts'
import { type ApplyPlan, type Desired, type Existing, identify, planApply } from './plan.ts'

export type ApplyClient = Pick<KubeClient, 'applyNew' | 'apply' | 'get' | 'delete'>

export interface ApplyReport {
  readonly created: readonly KubeObject[]
  readonly applied: readonly KubeObject[]
  /** Nothing was sent for these: neither they nor what we want of them changed since the last time. */
  readonly unchanged: readonly KubeObject[]
  readonly pruned: readonly KubeObject[]
  /** Of a name that we want, but somebody else's. */
  readonly foreign: readonly KubeObject[]
}

export interface ApplyRequest {
  /** Whose objects they are, if there are several owners: what is remembered of them is forgotten together. */
  readonly of?: string
  readonly desired: readonly Desired[]
  /** All objects of the kinds concerned that are ours or have a name that we want; from a cache, so perhaps a bit old. */
  readonly existing: readonly Existing[]
  readonly isOurs: (object: KubeObject) => boolean
  readonly signal?: AbortSignal
}

/**
 * Makes a set of objects so: creates what is missing, applies what may have changed, step by step and within a step
 * side by side, and when all that worked deletes what is ours and not in the set any more. An object that is not ours
 * is never touched, whatever its name; the report says so. The first failure is thrown, after everything else was
 * tried; nothing is deleted then.
 *
 * It remembers what it wrote and what came of it. As long as an object is still as it was then (its status aside) and
 * the same is wanted of it, it is not sent again; any drift is.
 */
export class ApplySet {
  readonly #client: ApplyClient
  readonly #memories = new Map<string, Memory>()

  constructor(client: ApplyClient) {
    this.#client = client
  }

  async apply({ of = '', desired, existing, isOurs, signal }: ApplyRequest): Promise<ApplyReport> {
    const memory = this.#memories.get(of) ?? new Map()
    this.#memories.set(of, memory)
    const plan = planApply(desired, existing, isOurs)
    const created: KubeObject[] = []
    const applied: KubeObject[] = []
    const unchanged: KubeObject[] = []
    const foreign = plan.foreign.map(({ object }) => object)
    const failures: unknown[] = []
    const attempt = async (work: () => Promise<void>): Promise<void> => {
      try {
        await work()
      } catch (error) {
        failures.push(error)
      }
    }

    const create = async (item: Desired): Promise<void> => {
      const outcome = await this.#create(item, isOurs, memory, signal)
      if (outcome.is === 'foreign') foreign.push(outcome.object)
      else (outcome.is === 'created' ? created : applied).push(outcome.object)
    }
    const update = async ({ desired: item, existing: object }: ApplyPlan['update'][number]): Promise<void> => {
      if (isUnchanged(memory, item, object)) unchanged.push(object)
      else applied.push(await this.#update(item, object, memory, signal))
    }

    for (const step of stepsOf(desired)) {
      await Promise.all([
        ...plan.create.filter(isIn(step)).map((item) => attempt(() => create(item))),
        ...plan.update.filter((item) => isIn(step)(item.desired)).map((item) => attempt(() => update(item))),
      ])
    }
    if (failures.length > 0) throw failures[0]
    for (const { kind, object } of plan.prune) {
      await this.#client.delete(kind, object.metadata, uidOf(object), signal)
      memory.delete(identify({ kind, object }))
    }
    return { created, applied, unchanged, foreign, pruned: plan.prune.map(({ object }) => object) }
  }

  /** For an owner that is gone, or the memory would grow with everything there ever was. */
  forget(of: string): void {
    this.#memories.delete(of)
  }

  async #create(
    item: Desired,
    isOurs: (object: KubeObject) => boolean,
    memory: Memory,
    signal: AbortSignal | undefined,
  ): Promise<{ is: 'created' | 'applied' | 'foreign'; object: KubeObject }> {
    if (item.departure) await item.departure()
    try {
      const object = await this.#client.applyNew(item.kind, item.object, signal)
      return { is: 'created', object: remember(memory, item, object) }
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      // Either somebody else's, or ours and not in the cache yet: only the API server knows.
      const found = await this.#client.get(item.kind, item.object.metadata, signal)
      if (!found) throw error
      if (!isOurs(found)) return { is: 'foreign', object: found }
      return { is: 'applied', object: await this.#update(item, found, memory, signal) }
    }
  }

  async #update(
    item: Desired,
    existing: KubeObject,
    memory: Memory,
    signal: AbortSignal | undefined,
  ): Promise<KubeObject> {
    return remember(memory, item, await this.#client.apply(item.kind, item.object, uidOf(existing), signal))
  }
}

/** What was asked for, and how the object was when it was so. */
type Memory = Map<Key, { readonly intent: string; readonly live: string }>

function isUnchanged(memory: Memory, item: Desired, existing: KubeObject): boolean {
  const known = memory.get(identify(item))
  return known !== undefined && known.intent === fingerprint(item.object) && known.live === liveFingerprint(existing)
}

function remember(memory: Memory, item: Desired, object: KubeObject): KubeObject {
  memory.set(identify(item), { intent: fingerprint(item.object), live: liveFingerprint(object) })
  return object
}

function stepsOf(desired: readonly Desired[]): number[] {
  return [...new Set(desired.map(({ step = 0 }) => step))].toSorted((one, other) => one - other)
}

function isIn(number: number): (item: Desired) => boolean {
  return ({ step = 0 }) => step === number
}

function uidOf(object: KubeObject): string {
  if (!object.metadata.uid) throw new Error(`${describe(object)} has no uid: it was not read from an API server.`)
  return object.metadata.uid
}
