import { type Reason, reasons } from '../api/reasons.ts'
import type { Problem } from '../core/result.ts'

/** Documented in the README; scripts rely on them. */
export const exitCode = {
  ok: 0,
  /** The job ran and did not succeed: a VM did not boot, an engine failed. */
  failed: 1,
  /** Wrong flags or arguments. */
  usage: 2,
  /** The manifest is missing, malformed or contradicts itself. */
  manifest: 3,
  /** The machine does not allow it: port taken, address missing, no permission, tool not installed. */
  host: 4,
} as const

const codeOfBlame = { input: exitCode.manifest, host: exitCode.host, runtime: exitCode.failed } as const

/** The code of the first problem: it is the one a person reads first. */
export function exitCodeFor(problems: readonly Problem[]): number {
  const first = problems[0]
  return first ? codeOfBlame[reasons[first.reason].blame] : exitCode.ok
}

/** One line per problem: where, which field, what is wrong, and what to do about it in general. */
export function describeProblem(problem: Problem): string {
  const place = problem.at ? `${problem.at.file}:${problem.at.line}: ` : ''
  const field = problem.field ? `${problem.field}: ` : ''
  return `${place}${field}${problem.message} [${problem.reason}]`
}

export function remedyOf(reason: Reason): string {
  return reasons[reason].remedy
}
