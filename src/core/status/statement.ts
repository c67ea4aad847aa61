import type { ConditionType, GoodReason } from '../../api/conditions.ts'
import type { Reason } from '../../api/reasons.ts'

/** One judgement about an object; when it last changed is worked out where it is written. */
export interface Statement {
  /** One that is named after a reason says that this trouble is there. */
  readonly type: ConditionType | Reason
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: Reason | GoodReason
  readonly message: string
  readonly observedGeneration: number
}

/** Makes statements about one generation of one object. */
export function statementsAbout(generation: number) {
  const state =
    (status: Statement['status']) =>
    (type: Statement['type'], reason: Statement['reason'], message: string): Statement => ({
      type,
      status,
      reason,
      message,
      observedGeneration: generation,
    })
  return { holds: state('True'), fails: state('False'), isUnknown: state('Unknown') }
}
