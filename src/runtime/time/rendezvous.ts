import type { Clock } from './clock.ts'

/** Whoever comes within a short time of the first goes on together with it, at the end of that time. */
export class Rendezvous {
  readonly #clock: Clock
  readonly #waitMs: number
  #departure: Promise<void> | undefined

  constructor(clock: Clock, waitMs: number) {
    this.#clock = clock
    this.#waitMs = waitMs
  }

  wait(): Promise<void> {
    this.#departure ??= new Promise((resolve) => {
      this.#clock.after(this.#waitMs, () => {
        this.#departure = undefined
        resolve()
      })
    })
    return this.#departure
  }
}
