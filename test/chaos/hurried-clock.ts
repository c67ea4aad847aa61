import type { Clock } from '../../src/runtime/time/clock.ts'

/** A clock on which time flies, so that delays of minutes can be met with real sockets. */
export function hurriedClock(factor: number): Clock {
  const startedAt = Date.now()
  const elapsed = (): number => performance.now() * factor
  const zero = elapsed()
  return {
    now: () => startedAt + elapsed() - zero,
    elapsed,
    after(delayMs, run) {
      const timer = setTimeout(run, delayMs / factor)
      return () => clearTimeout(timer)
    },
  }
}
