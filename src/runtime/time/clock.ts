/** Time as a parameter: everything in the runtime that waits or measures is given a clock, so tests need not wait. */
export interface Clock {
  /** Milliseconds since the epoch; may jump when somebody sets the clock. */
  now(): number
  /** Milliseconds since some start; never goes back and counts on while the process is stopped by a signal. */
  elapsed(): number
  /** Calls `run` once after the delay. The function returned cancels it. */
  after(delayMs: number, run: () => void): () => void
}

/** A timer with a longer delay than this would fire at once, so longer ones are cut to it (24.8 days). */
export const longestDelayMs = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0), longestDelayMs))
    return () => clearTimeout(timer)
  },
}

/** Waits; an aborted signal ends the wait early and is not an error, the caller looks at the signal anyway. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve()
      return
    }
    const finish = (): void => {
      cancel()
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const cancel = clock.after(delayMs, finish)
    signal?.addEventListener('abort', finish)
  })
}
