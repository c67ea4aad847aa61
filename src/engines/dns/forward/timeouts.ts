/** One wait. Whoever does not need it any more clears its item, so that nothing is kept alive until it is over. */
export interface Wait<Item> {
  item: Item | undefined
  readonly dueMs: number
}

/**
 * Calls back a fixed time after each `add`. All waits are equally long, so they end in the order they began: one
 * timer serves thousands of them.
 */
export class Timeouts<Item> {
  readonly #waitMs: number
  readonly #expired: (item: Item) => void
  #queue: Wait<Item>[] = []
  #head = 0
  #timer: NodeJS.Timeout | undefined

  constructor(waitMs: number, expired: (item: Item) => void) {
    this.#waitMs = waitMs
    this.#expired = expired
  }

  add(item: Item): Wait<Item> {
    const wait: Wait<Item> = { item, dueMs: performance.now() + this.#waitMs }
    this.#queue.push(wait)
    this.#timer ??= setTimeout(() => this.#run(), this.#waitMs)
    return wait
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#queue = []
    this.#head = 0
  }

  /** The old timer stays in its place meanwhile: what is added now must not start one that is late for the others. */
  #run(): void {
    const now = performance.now()
    let next = this.#queue[this.#head]
    while (next !== undefined && next.dueMs <= now) {
      this.#head++
      if (next.item !== undefined) this.#expired(next.item)
      next = this.#queue[this.#head]
    }
    if (this.#head > 1024 || next === undefined) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
    this.#timer = next && setTimeout(() => this.#run(), Math.max(next.dueMs - now, 1))
  }
}
