import { StatusApply } from '../../runtime/apply/status-apply.ts'
import { type Condition, findCondition, statedConditions } from '../../runtime/conditions/conditions.ts'
import type { Kind } from '../../runtime/kube/kind.ts'
import type { OwnObject } from './kinds.ts'
import type { Operator } from './operator.ts'

/** A write of ours comes back through the watch sooner than this, or there is no watch. */
const longestEchoMs = 10_000

/** Writes what is known of objects of one kind, and tells what changed about them. */
export class StatusReport {
  readonly #operator: Operator
  readonly #kind: Kind<OwnObject>
  readonly #told: readonly string[]
  readonly #statuses: StatusApply
  /** By uid. */
  readonly #sentAt = new Map<string, number>()

  /** `told` are the conditions whose changes are told as events too. */
  constructor(operator: Operator, kind: Kind<OwnObject>, told: readonly string[] = ['Accepted', 'Ready']) {
    this.#operator = operator
    this.#kind = kind
    this.#told = told
    this.#statuses = new StatusApply(operator.writer)
  }

  /** `first` are the conditions in the order a person wants to read them. */
  async write(
    live: OwnObject,
    statements: readonly Omit<Condition, 'lastTransitionTime'>[],
    fields: object,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#isOutdated(live)) return
    const { name, namespace = '', generation = 0 } = live.metadata
    const before = live.status?.conditions
    const first = ['Ready', 'Accepted']
    const conditions = statedConditions(before, statements, this.#operator.clock.now(), first)
    const status = { ...fields, conditions, observedGeneration: generation }
    const { apiVersion, kind } = this.#kind
    const isSent = await this.#statuses.apply(
      this.#kind,
      { apiVersion, kind, metadata: { name, namespace }, status },
      live,
      signal,
    )
    if (!isSent) return
    this.#sentAt.set(live.metadata.uid ?? '', this.#operator.clock.now())
    this.#tell(live, before, conditions)
  }

  /**
   * Its conditions are older than what we just wrote, and each would be dated anew; the controller is called again with
   * our own change. Not believed for long: after a restore of etcd all versions are lower than they were.
   */
  #isOutdated(live: OwnObject): boolean {
    const sentAt = this.#sentAt.get(live.metadata.uid ?? '') ?? 0
    return this.#operator.clock.now() - sentAt < longestEchoMs && this.#statuses.isBehind(live)
  }

  forget({ metadata: { uid = '' } }: OwnObject): void {
    this.#statuses.forget(uid)
    this.#sentAt.delete(uid)
  }

  /** Not what is merely unknown, nor that there is no pod yet: so is everything, for a moment after it was made. */
  #tell(regarding: OwnObject, before: readonly Condition[] | undefined, now: readonly Condition[]): void {
    const told = new Set<string>()
    for (const type of this.#told) {
      const condition = findCondition(now, type)
      const known = findCondition(before, type)
      if (!condition || condition.status === 'Unknown' || told.has(condition.reason)) continue
      if (known?.status === condition.status && known.reason === condition.reason) continue
      const isNew = known === undefined || known.status === 'Unknown'
      if (isNew && condition.reason === 'PodPending') continue
      if (type === 'Accepted' && condition.status === 'True' && known === undefined) continue
      told.add(condition.reason)
      this.#operator.events.record({
        regarding,
        type: condition.status === 'True' ? 'Normal' : 'Warning',
        reason: condition.reason,
        action: 'Reconcile',
        note: condition.message || `${type} is ${condition.status}`,
      })
    }
  }
}
