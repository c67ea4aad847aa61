import type { Statement } from '../../core/status/statement.ts'
import { type Condition, statedConditions } from '../../runtime/conditions/conditions.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import type { Clock } from '../../runtime/time/clock.ts'

/** The conditions that an engine writes about itself, with the moments at which they changed. */
export class EngineConditions {
  readonly #clock: Clock
  #stated: { readonly uid: string | undefined; readonly conditions: readonly Condition[] } | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** What was said last counts, and after a start what the object says: the copy of the object can be a moment behind. */
  of(live: KubeObject & { status?: { conditions?: Condition[] } }, statements: readonly Statement[]): Condition[] {
    const { uid } = live.metadata
    const before = this.#stated?.uid === uid ? this.#stated?.conditions : live.status?.conditions
    const conditions = statedConditions(before, statements, this.#clock.now(), [])
    this.#stated = { uid, conditions }
    return conditions
  }
}
