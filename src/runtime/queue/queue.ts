import type { Clock } from '../time/clock.ts'
import { Delays } from './delays.ts'

export interface QueueOptions {
  readonly clock: Clock
  /** The delay after the first failure of a key; doubles with each further one. */
  readonly firstRetryMs?: number
  readonly longestRetryMs?: number
}

/**
 * Keys to work on.
 *
 * - A key waits at most once, however often it is added.
 * - A key is worked on by one worker at a time; added meanwhile, it waits again as soon as that worker is done.
 * - First come, first served. A key that failed comes back after a delay of its own, which doubles each time.
 * - What it was delayed for is done when it is worked on for another reason before; that work says anew when to look again.
 * - Nothing is lost: whatever was added before `close` and not taken is either waiting or delayed.
 *
 * A worker calls `take`, works, then `done` in any case, and `forget` after a success or `retry` after a failure.
 */
export class WorkQueue {
  readonly #delays: Delays
  readonly #firstRetryMs: number
  readonly #longestRetryMs: number
  /** In order of arrival. A key in work is never here. */
  readonly #waiting = new Set<string>()
  readonly #inWork = new Set<string>()
  /** Keys in work that were added meanwhile. */
  readonly #again = new Set<string>()
  readonly #failures = new Map<string, number>()
  readonly #takers: ((key: string | undefined) => void)[] = []
  readonly #idle: (() => void)[] = []
  readonly #counters = { added: 0, retries: 0 }
  #closed = false

  constructor({ clock, firstRetryMs = 5, longestRetryMs = 300_000 }: QueueOptions) {
    this.#delays = new Delays(clock, (key) => this.add(key))
    this.#firstRetryMs = firstRetryMs
    this.#longestRetryMs = longestRetryMs
  }

  add(key: string): void {
    if (this.#closed) return
    this.#counters.added++
    if (this.#inWork.has(key)) this.#again.add(key)
    else this.#offer(key)
  }

  addAfter(key: string, delayMs: number): void {
    if (this.#closed) return
    if (delayMs <= 0) this.add(key)
    else this.#delays.add(key, delayMs)
  }

  /** Adds the key again after the delay that its failures so far have earned it. */
  retry(key: string): void {
    if (this.#closed) return
    const failures = this.#failures.get(key) ?? 0
    this.#failures.set(key, failures + 1)
    this.#counters.retries++
    this.addAfter(key, Math.min(this.#firstRetryMs * 2 ** failures, this.#longestRetryMs))
  }

  /** Its failures are forgiven. */
  forget(key: string): void {
    this.#failures.delete(key)
  }

  /** The next key, as soon as there is one; undefined once the queue is closed. */
  take(): Promise<string | undefined> {
    const [key] = this.#waiting
    if (this.#closed) return Promise.resolve(undefined)
    if (key === undefined) return new Promise((resolve) => this.#takers.push(resolve))
    this.#waiting.delete(key)
    this.#begin(key)
    return Promise.resolve(key)
  }

  done(key: string): void {
    this.#inWork.delete(key)
    if (this.#again.delete(key)) this.#offer(key)
    if (this.#inWork.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** Nothing is handed out any more. Resolves when what is in work is done. */
  close(): Promise<void> {
    this.#closed = true
    this.#delays.clear()
    this.#waiting.clear()
    this.#again.clear()
    for (const taker of this.#takers.splice(0)) taker(undefined)
    if (this.#inWork.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  stats(): QueueStats {
    return {
      ...this.#counters,
      waiting: this.#waiting.size + this.#again.size,
      delayed: this.#delays.size,
      inWork: this.#inWork.size,
      failing: this.#failures.size,
    }
  }

  #offer(key: string): void {
    const taker = this.#takers.shift()
    if (taker) {
      this.#begin(key)
      taker(key)
    } else {
      this.#waiting.add(key)
    }
  }

  #begin(key: string): void {
    this.#inWork.add(key)
    this.#delays.remove(key)
  }
}

export interface QueueStats {
  readonly added: number
  readonly retries: number
  readonly waiting: number
  readonly delayed: number
  readonly inWork: number
  /** Keys whose last attempt failed. */
  readonly failing: number
}
