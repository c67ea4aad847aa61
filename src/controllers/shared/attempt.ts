import type { Problem } from '../../core/result.ts'
import type { Outcome } from '../../runtime/controller/reconcile.ts'
import { type Performed, refusalOf } from './objects.ts'

/** What came of making objects, also where it failed halfway: it is told in the status before it is tried again. */
export interface Attempt {
  readonly performed: Performed
  /** What was thrown; undefined if nothing was. */
  readonly failure: unknown
}

export const untried: Attempt = { performed: { objects: [], problems: [], lookAgain: false }, failure: undefined }

export async function attempt(work: () => Promise<Performed>): Promise<Attempt> {
  try {
    return { performed: await work(), failure: undefined }
  } catch (failure) {
    return { ...untried, failure }
  }
}

export function problemsOf({ performed, failure }: Attempt): Problem[] {
  return [...performed.problems, ...refusalOf(failure)]
}

const lookAgainMs = 30_000

/** How the reconcile ends, once everything is told. */
export function outcomeOf({ performed, failure }: Attempt): Outcome | undefined {
  if (failure !== undefined) throw failure
  return performed.lookAgain ? { requeueAfterMs: lookAgainMs } : undefined
}
