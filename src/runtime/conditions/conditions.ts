import { secondsTimestamp } from '../time/timestamp.ts'

/** `metav1.Condition`: one statement about an object, with the moment it last became true or false. */
export interface Condition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason: string
  message: string
  observedGeneration?: number
  lastTransitionTime: string
}

/** A statement as it is known now; when it changed is worked out from what was said before. */
export type Statement = Omit<Condition, 'lastTransitionTime'>

/**
 * The conditions to write: the statements made now, each with the time of its last change of status. A statement that
 * says the same as before keeps its time, so that writing it again changes nothing and wakes nobody. What is not stated
 * any more goes. Always in the same order: those of `first` as given there, then by name.
 */
export function statedConditions(
  before: readonly Condition[] | undefined,
  statements: readonly Statement[],
  nowMs: number,
  first: readonly string[] = ['Ready'],
): Condition[] {
  const conditions = statements.map((statement): Condition => {
    const known = findCondition(before, statement.type)
    const changed = known?.status !== statement.status || !known.lastTransitionTime
    return {
      ...statement,
      message: cut(statement.message),
      lastTransitionTime: changed ? secondsTimestamp(nowMs) : known.lastTransitionTime,
    }
  })
  return sorted(conditions, first)
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type)
}

/**
 * One statement that sums up others: True if all are; else the first that is False, else the first that is not known.
 * Its reason and message are those of the culprit, so that the summary alone tells what is wrong.
 */
export function summary(
  type: string,
  parts: readonly Statement[],
  allTrue: Omit<Statement, 'type' | 'status'>,
): Statement {
  const culprit = parts.find(({ status }) => status === 'False') ?? parts.find(({ status }) => status === 'Unknown')
  if (!culprit) return { ...allTrue, type, status: 'True' }
  return {
    ...allTrue,
    type,
    status: culprit.status,
    reason: culprit.reason,
    message: `${culprit.type}: ${culprit.message}`,
  }
}

/** The API's own limit. */
const longestMessage = 32_768

function cut(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 3)}...`
}

function sorted(conditions: readonly Condition[], first: readonly string[]): Condition[] {
  const place = ({ type }: Condition): number => (first.includes(type) ? first.indexOf(type) : first.length)
  return conditions.toSorted((one, other) => place(one) - place(other) || (one.type < other.type ? -1 : 1))
}
