import type { OwnObject } from '../shared/kinds.ts'

/**
 * How long the status of an Infra may wait for components that have not said anything yet: all three do within moments,
 * and each word of theirs would be one more write of a status that is outdated by the next one. A component that stays
 * silent longer is told; and what is asked for later, in another generation, is waited for anew.
 */
const mostPatienceMs = 5000

export class Patience {
  /** By uid. */
  readonly #began = new Map<string, { readonly generation: number; readonly atMs: number }>()

  /** How much of it is left for what the Infra asks for now. */
  restMs({ metadata: { uid = '', generation = 0 } }: OwnObject, nowMs: number): number {
    const known = this.#began.get(uid)
    if (known?.generation === generation) return Math.max(0, known.atMs + mostPatienceMs - nowMs)
    this.#began.set(uid, { generation, atMs: nowMs })
    return mostPatienceMs
  }

  forget({ metadata: { uid = '' } }: OwnObject): void {
    this.#began.delete(uid)
  }
}
