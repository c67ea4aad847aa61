import type { Clock } from '../../runtime/time/clock.ts'

const intervalMs = 1000

/**
 * Calls for a key at once, then at most once a second however often it is asked to: a rack that boots changes
 * hundreds of leases, and each write of a list made from them carries all of them.
 */
export class Coalesced {
  readonly #clock: Clock
  readonly #call: (key: string) => void
  /** Keys called within the last second, and whether they were asked for again since. */
  readonly #recent = new Map<string, boolean>()

  constructor(clock: Clock, call: (key: string) => void) {
    this.#clock = clock
    this.#call = call
  }

  ask(key: string): void {
    if (this.#recent.has(key)) {
      this.#recent.set(key, true)
      return
    }
    this.#recent.set(key, false)
    this.#clock.after(intervalMs, () => {
      const isAskedAgain = this.#recent.get(key)
      this.#recent.delete(key)
      if (isAskedAgain) this.ask(key)
    })
    this.#call(key)
  }
}
