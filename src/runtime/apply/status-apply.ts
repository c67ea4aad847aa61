import type { KubeClient } from '../kube/client.ts'
import type { Kind } from '../kube/kind.ts'
import { describe, type KubeObject } from '../kube/object.ts'
import type { Intent } from '../kube/options.ts'
import { fingerprint } from './fingerprint.ts'

/**
 * Applies the fields of a status that are ours, and nothing if that was done before and the status is still as it was
 * then: the change that our own write brings back to us costs no further call.
 */
export class StatusApply {
  readonly #client: Pick<KubeClient, 'applyStatus'>
  readonly #memory = new Map<string, { readonly intent: string; readonly live: string }>()

  constructor(client: Pick<KubeClient, 'applyStatus'>) {
    this.#client = client
  }

  /** `live` is the object as it was read; `intent` its status as we want it. Tells whether something was sent. */
  async apply<T extends KubeObject>(
    kind: Kind<T>,
    intent: Intent<NoInfer<T>>,
    live: NoInfer<T>,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const { uid } = live.metadata
    if (!uid) throw new Error(`${describe(live)} has no uid: it was not read from an API server.`)
    const known = this.#memory.get(uid)
    const wanted = fingerprint(statusOf(intent))
    if (known?.intent === wanted && known.live === fingerprint(statusOf(live))) return false
    const applied = await this.#client.applyStatus(kind, intent, uid, signal)
    this.#memory.set(uid, { intent: wanted, live: fingerprint(statusOf(applied)) })
    return true
  }

  /** For an object that is gone. */
  forget(uid: string): void {
    this.#memory.delete(uid)
  }
}

function statusOf(object: object): unknown {
  return 'status' in object ? object.status : null
}
