import type { Clock } from './clock.ts'

/** A signal that aborts with its parent or when its time is up; `cancel` frees the timer and the listener. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Start counting again from now, perhaps with another delay. */
  restart(delayMs: number): void
  cancel(): void
}

/**
 * AbortSignal.any would do the same, but keeps every child alive as long as a parent that lives for ever does; a watch
 * makes a child every few minutes for years.
 */
export function startDeadline(
  clock: Clock,
  delayMs: number,
  parent: AbortSignal | undefined,
  tooLate: () => Error,
): Deadline {
  const controller = new AbortController()
  const onParent = (): void => controller.abort(parent?.reason)
  const start = (ms: number): (() => void) => clock.after(ms, () => controller.abort(tooLate()))
  let stop = start(delayMs)
  if (parent?.aborted) onParent()
  parent?.addEventListener('abort', onParent)
  return {
    signal: controller.signal,
    restart(ms) {
      stop()
      stop = start(ms)
    },
    cancel() {
      stop()
      parent?.removeEventListener('abort', onParent)
    },
  }
}
