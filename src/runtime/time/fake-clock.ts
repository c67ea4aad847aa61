import type { Clock } from './clock.ts'

interface Timer {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

/** A clock for tests: time passes only when told to. */
export class FakeClock implements Clock {
  #now: number
  #elapsed = 0
  #order = 0
  readonly #timers = new Set<Timer>()

  constructor(epochMs = Date.UTC(2026, 0, 1)) {
    this.#now = epochMs
  }

  now(): number {
    return this.#now
  }

  elapsed(): number {
    return this.#elapsed
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { at: this.#elapsed + Math.max(delayMs, 0), order: this.#order++, run }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  get waiting(): number {
    return this.#timers.size
  }

  /** Lets time pass, running what falls due in order and giving promises their turn after each. */
  async advance(byMs: number): Promise<void> {
    const end = this.#elapsed + byMs
    await settle()
    for (let timer = this.#firstBefore(end); timer; timer = this.#firstBefore(end)) {
      this.#timers.delete(timer)
      this.#passTo(timer.at)
      timer.run()
      await settle()
    }
    this.#passTo(end)
  }

  /** Time that passes while the process is stopped: nothing runs in it, and afterwards everything is late. */
  pause(byMs: number): void {
    this.#passTo(this.#elapsed + byMs)
  }

  /** Somebody sets the wall clock. */
  setWallClock(epochMs: number): void {
    this.#now = epochMs
  }

  #firstBefore(end: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.at > end) continue
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer
    }
    return first
  }

  #passTo(elapsed: number): void {
    if (elapsed <= this.#elapsed) return
    this.#now += elapsed - this.#elapsed
    this.#elapsed = elapsed
  }
}

/** A turn of the event loop: every chain of promises that waits for nothing else has ended after it. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
