import type { Reason } from '../../api/reasons.ts'

/** One judgement about an object; when it last changed is worked out where it is written. */
export interface Statement {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: Reason | GoodReason
  readonly message: string
  readonly observedGeneration: number
}

/** Why something is as it should be. What is not has one of the documented reasons. */
export type GoodReason =
  | 'Accepted'
  | 'Attached'
  | 'Available'
  | 'Serving'
  | 'Resolved'
  | 'Ready'
  | 'AddressGiven'
  | 'Discovered'
  | 'Applied'
  | 'NotSeen'
  | 'Programmed'
  | 'Healthy'

/** Makes statements about one generation of one object. */
export function statementsAbout(generation: number) {
  const state =
    (status: Statement['status']) =>
    (type: string, reason: Statement['reason'], message: string): Statement => ({
      type,
      status,
      reason,
      message,
      observedGeneration: generation,
    })
  return { holds: state('True'), fails: state('False'), isUnknown: state('Unknown') }
}
