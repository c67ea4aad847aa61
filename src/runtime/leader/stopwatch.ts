import type { Clock } from '../time/clock.ts'

export interface Mark {
  readonly wallMs: number
  readonly elapsedMs: number
}

/**
 * How much time passed, told by the faster of two clocks. The monotonic one stands still while a machine sleeps or a
 * VM is paused; the wall clock may be set back. To believe that more time passed than did is the safe mistake here.
 */
export class Stopwatch {
  readonly #clock: Clock
  #start: Mark

  constructor(clock: Clock) {
    this.#clock = clock
    this.#start = this.mark()
  }

  mark(): Mark {
    return { wallMs: this.#clock.now(), elapsedMs: this.#clock.elapsed() }
  }

  startFrom(mark: Mark): void {
    this.#start = mark
  }

  elapsedMs(): number {
    return Math.max(this.#clock.now() - this.#start.wallMs, this.#clock.elapsed() - this.#start.elapsedMs)
  }
}
