import type { Clock } from './clock.ts'

export interface BackoffOptions {
  readonly firstMs: number
  readonly longestMs: number
  /** After this long without a failure the next one counts as the first again. */
  readonly resetAfterMs: number
}

/** How long to wait before trying again: doubles with each failure, with up to as much again added by chance. */
export class Backoff {
  readonly #options: BackoffOptions
  readonly #clock: Clock
  readonly #random: () => number
  #nextMs: number
  #lastFailureAt = Number.NEGATIVE_INFINITY

  constructor(options: BackoffOptions, clock: Clock, random: () => number) {
    this.#options = options
    this.#clock = clock
    this.#random = random
    this.#nextMs = options.firstMs
  }

  next(): number {
    const { firstMs, longestMs, resetAfterMs } = this.#options
    const now = this.#clock.elapsed()
    if (now - this.#lastFailureAt > resetAfterMs) this.#nextMs = firstMs
    this.#lastFailureAt = now
    const waitMs = Math.min(this.#nextMs * (1 + this.#random()), longestMs)
    this.#nextMs = Math.min(this.#nextMs * 2, longestMs)
    return waitMs
  }
}
