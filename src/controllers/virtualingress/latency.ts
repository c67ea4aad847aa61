import type { Clock } from '../../runtime/time/clock.ts'

/** How long it takes from the first event that a reconcile answers to what it wrote. */
export class Latency {
  readonly #clock: Clock
  readonly #observe: (seconds: number) => void
  readonly #since = new Map<string, number>()

  constructor(clock: Clock, observe: (seconds: number) => void) {
    this.#clock = clock
    this.#observe = observe
  }

  begin(key: string): void {
    if (!this.#since.has(key)) this.#since.set(key, this.#clock.elapsed())
  }

  /** Is there an event that is still to be answered? */
  isWaiting(key: string): boolean {
    return this.#since.has(key)
  }

  /** Runs what answers the events so far; if it fails, they are still to be answered. */
  async measure<Value extends { readonly hasWritten: boolean }>(
    key: string,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const since = this.#since.get(key)
    this.#since.delete(key)
    try {
      const result = await work()
      if (since !== undefined && result.hasWritten) this.#observe((this.#clock.elapsed() - since) / 1000)
      return result
    } catch (error) {
      if (since !== undefined) this.#since.set(key, since)
      throw error
    }
  }

  forget(key: string): void {
    this.#since.delete(key)
  }
}
