import type { Key } from '../kube/object.ts'
import type { Logger } from '../observe/log.ts'

/**
 * Brings the world one step closer to what the object with this key asks for.
 *
 * It is called with a key, not with what happened: several changes may be one call, a call may come without any change,
 * and after a restart there is one for every object. So it looks at how things are, does what is missing, and may be
 * broken off after any single step. It is never called for the same key twice at a time.
 *
 * - Returning nothing: all is done; the next call comes with the next change.
 * - Returning `requeueAfterMs`: all is done, but look again then (when a time comes that no change will tell of).
 * - Throwing: try again soon, then ever later.
 * - Throwing Terminal: trying again would not help; the next call comes with the next change.
 */
export type Reconcile = (key: Key, context: ReconcileContext) => Promise<Outcome | undefined>

export interface ReconcileContext {
  /** Aborted when the time is up or the process stops; to be handed to every call that waits. */
  readonly signal: AbortSignal
  readonly log: Logger
}

export interface Outcome {
  readonly requeueAfterMs?: number
}

export class Terminal extends Error {
  override readonly name = 'Terminal'
}
