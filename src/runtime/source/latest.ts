/** A mailbox for one value: whoever waits gets the newest, and what it was too slow for is forgotten. */
export class Latest<Value> {
  #value: { readonly value: Value } | undefined
  #wake: (() => void) | undefined
  #closed = false

  put(value: Value): void {
    this.#value = { value }
    this.#wake?.()
  }

  /** Ends the iteration after the value that may still be waiting. */
  close(): void {
    this.#closed = true
    this.#wake?.()
  }

  async *values(): AsyncGenerator<Value> {
    while (true) {
      const waiting = this.#value
      this.#value = undefined
      if (waiting) yield waiting.value
      else if (this.#closed) return
      else await this.#arrival()
    }
  }

  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined
        resolve()
      }
    })
  }
}
