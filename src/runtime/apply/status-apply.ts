import type { KubeClient } from '../kube/client.ts'
import type { Kind } from '../kube/kind.ts'
import { describe, type KubeObject } from '../kube/object.ts'
import type { Intent } from '../kube/options.ts'
import { isOlder } from '../kube/resource-version.ts'
import { fingerprint } from './fingerprint.ts'

interface Remembered {
  readonly intent: string
  readonly live: string
  readonly version: string | undefined
}

/**
 * Applies the fields of a status that are ours, and nothing if that was done before and they are still as they were
 * then: the change that our own write brings back to us costs no further call, nor what others write beside it.
 */
export class StatusApply {
  readonly #client: Pick<KubeClient, 'applyStatus'>
  readonly #memory = new Map<string, Remembered>()

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
    if (known?.intent === wanted) {
      // What was read before our write came about says nothing; the write itself will come back.
      if (isOlder(live.metadata.resourceVersion, known.version)) return false
      if (known.live === fingerprint(sharedWith(intent, live))) return false
    }
    const applied = await this.#client.applyStatus(kind, intent, uid, signal)
    const { resourceVersion: version } = applied.metadata
    this.#memory.set(uid, { intent: wanted, live: fingerprint(sharedWith(intent, applied)), version })
    return true
  }

  /** Whether this is the object as it was before our last write. What came of that write will be told soon. */
  isBehind({ metadata: { uid = '', resourceVersion } }: KubeObject): boolean {
    return isOlder(resourceVersion, this.#memory.get(uid)?.version)
  }

  /** For an object that is gone. */
  forget(uid: string): void {
    this.#memory.delete(uid)
  }
}

/** The fields of the live status that the intent has too. */
function sharedWith(intent: object, live: object): unknown {
  const fields = Object(statusOf(live) ?? {})
  return Object.fromEntries(Object.keys(Object(statusOf(intent) ?? {})).map((name) => [name, fields[name]]))
}

function statusOf(object: object): unknown {
  return 'status' in object ? object.status : null
}
