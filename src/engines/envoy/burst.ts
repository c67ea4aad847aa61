/** Of several calls at once the first is done at once and the last a little later; those between are not. */
export class Burst {
  readonly #windowMs: number
  readonly #act: () => void
  #timer: NodeJS.Timeout | undefined
  #doneAtMs = Number.NEGATIVE_INFINITY

  constructor(windowMs: number, act: () => void) {
    this.#windowMs = windowMs
    this.#act = act
  }

  /** Is something still to be done? */
  get isPending(): boolean {
    return this.#timer !== undefined
  }

  call(): void {
    if (this.isPending) return
    const waitMs = this.#doneAtMs + this.#windowMs - performance.now()
    if (waitMs <= 0) this.#do()
    else this.#timer = setTimeout(() => this.#do(), waitMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #do(): void {
    this.#timer = undefined
    this.#doneAtMs = performance.now()
    this.#act()
  }
}
