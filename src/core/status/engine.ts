import type { Reason } from '../../api/reasons.ts'
import type { Problem } from '../result.ts'
import { type Statement, statementsAbout } from './statement.ts'

/** A condition as it stands in a status, whoever wrote it. */
export interface StatedCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

/**
 * What an engine says of itself as conditions, one for each trouble it looks out for: the type is the reason, and it is
 * True while the trouble lasts. Those that are not there are stated too, so that their absence can be waited for.
 */
export function troubleStatements(
  generation: number,
  lookedFor: readonly Reason[],
  found: readonly Problem[],
): Statement[] {
  const { holds, fails } = statementsAbout(generation)
  return lookedFor.map((reason) => {
    const messages = found.filter((problem) => problem.reason === reason).map(({ message }) => message)
    return messages.length > 0 ? holds(reason, reason, messages.join('; ')) : fails(reason, 'NotSeen', '')
  })
}

/** Whether the engine could use the newest version of its object; if not, it goes on with the one before. */
export function appliedStatement(generation: number, refusals: readonly Problem[]): Statement {
  const { holds, fails } = statementsAbout(generation)
  const [first] = refusals
  if (!first) return holds(applied, 'Applied', '')
  return fails(applied, first.reason, refusals.map(({ message }) => message).join('; '))
}

const applied = 'Applied'

/** Why the engine does not use the newest version, in its own words. */
export function whyNotApplied(conditions: readonly StatedCondition[] | undefined): string | undefined {
  const stated = conditions?.find(({ type, status }) => type === applied && status === 'False')
  return stated && `${stated.reason}: ${stated.message}`
}

/** Of these troubles, the ones that an engine reports now. */
export function reportedTroubles(
  conditions: readonly StatedCondition[] | undefined,
  among: readonly Reason[],
): StatedCondition[] {
  return among.flatMap((reason) => conditions?.find(({ type, status }) => type === reason && status === 'True') ?? [])
}

/** What an engine's own conditions mean for Ready: what is in its way, and what is said beside it. */
export interface EngineVerdict {
  readonly needed: Statement | undefined
  readonly remark: string
}

export function engineVerdict(
  generation: number,
  conditions: readonly StatedCondition[] | undefined,
  troubles: readonly Reason[],
  fatal: readonly Reason[],
): EngineVerdict {
  const { fails } = statementsAbout(generation)
  const [worst] = fatal.flatMap((reason) =>
    reportedTroubles(conditions, [reason]).map(({ message }) => fails(reason, reason, message)),
  )
  const remarks = reportedTroubles(conditions, troubles).map(({ type, message }) => `${type}: ${message}`)
  return { needed: worst, remark: remarks.join('; ') }
}
