import type { Clock } from '../time/clock.ts'

interface Entry {
  readonly key: string
  readonly at: number
}

/** Keys that wait for their time, on one timer. A key waits once: for the earliest of the times it was given. */
export class Delays {
  readonly #clock: Clock
  readonly #due: (key: string) => void
  /** A binary heap by time. Entries that were replaced stay in it until they come up and are skipped. */
  readonly #heap: Entry[] = []
  readonly #times = new Map<string, number>()
  #cancelTimer: (() => void) | undefined

  constructor(clock: Clock, due: (key: string) => void) {
    this.#clock = clock
    this.#due = due
  }

  get size(): number {
    return this.#times.size
  }

  add(key: string, delayMs: number): void {
    const at = this.#clock.elapsed() + delayMs
    const before = this.#times.get(key)
    if (before !== undefined && before <= at) return
    this.#times.set(key, at)
    this.#push({ key, at })
    if (this.#heap[0]?.key === key) this.#arm()
  }

  /** Its entry stays in the heap until it comes up and is skipped. */
  remove(key: string): void {
    this.#times.delete(key)
  }

  clear(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#heap.length = 0
    this.#times.clear()
  }

  #arm(): void {
    this.#cancelTimer?.()
    const next = this.#heap[0]
    this.#cancelTimer = next && this.#clock.after(next.at - this.#clock.elapsed(), () => this.#fire())
  }

  #fire(): void {
    const now = this.#clock.elapsed()
    for (let next = this.#heap[0]; next && next.at <= now; next = this.#heap[0]) {
      this.#pop()
      if (this.#times.get(next.key) !== next.at) continue
      this.#times.delete(next.key)
      this.#due(next.key)
    }
    this.#arm()
  }

  #push(entry: Entry): void {
    let position = this.#heap.push(entry) - 1
    while (position > 0) {
      const parent = (position - 1) >> 1
      if (this.#at(parent) <= this.#at(position)) return
      this.#swap(parent, position)
      position = parent
    }
  }

  #pop(): void {
    this.#swap(0, this.#heap.length - 1)
    this.#heap.pop()
    let position = 0
    for (;;) {
      const left = 2 * position + 1
      const smaller = this.#at(left + 1) < this.#at(left) ? left + 1 : left
      if (this.#at(smaller) >= this.#at(position)) return
      this.#swap(smaller, position)
      position = smaller
    }
  }

  #at(position: number): number {
    return this.#heap[position]?.at ?? Number.POSITIVE_INFINITY
  }

  #swap(one: number, other: number): void {
    const [first, second] = [this.#heap[one], this.#heap[other]]
    if (first && second) [this.#heap[one], this.#heap[other]] = [second, first]
  }
}
