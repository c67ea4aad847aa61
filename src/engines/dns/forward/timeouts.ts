/**
 * Calls back a fixed time after each `add`. All waits are equally long, so they end in the order they began: one
 * timer serves thousands of them.
 */
export class Timeouts<Item> {
  readonly #waitMs: number
  readonly #expired: (item: Item) => void
  #queue: { readonly item: Item; readonly dueMs: number }[] = []
  #head = 0
  #timer: NodeJS.Timeout | undefined

  constructor(waitMs: number, expired: (item: Item) => void) {
    this.#waitMs = waitMs
    this.#expired = expired
  }

  add(item: Item): void {
    this.#queue.push({ item, dueMs: performance.now() + this.#waitMs })
    this.#timer ??= setTimeout(() => this.#run(), this.#waitMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#queue = []
    this.#head = 0
  }

  #run(): void {
    this.#timer = undefined
    const now = performance.now()
    let next = this.#queue[this.#head]
    while (next !== undefined && next.dueMs <= now) {
      this.#head++
      this.#expired(next.item)
      next = this.#queue[this.#head]
    }
    if (this.#head > 1024 || next === undefined) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
    if (next !== undefined) this.#timer ??= setTimeout(() => this.#run(), Math.max(next.dueMs - now, 1))
  }
}
