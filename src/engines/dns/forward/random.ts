/** Unpredictable numbers, drawn from the system in large pieces: a query needs a few bytes and must not wait for them. */
export class RandomNumbers {
  readonly #pool = new Uint8Array(4096)
  readonly #fill: (bytes: Uint8Array) => void
  #at = this.#pool.length

  constructor(fill: (bytes: Uint8Array) => void) {
    this.#fill = fill
  }

  uint16(): number {
    if (this.#at >= this.#pool.length) {
      this.#fill(this.#pool)
      this.#at = 0
    }
    const value = ((this.#pool[this.#at] ?? 0) << 8) | (this.#pool[this.#at + 1] ?? 0)
    this.#at += 2
    return value
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.uint16() & 255)
  }

  int32(): number {
    return (this.uint16() << 16) | this.uint16()
  }

  /** 0 … count-1, for small counts. */
  below(count: number): number {
    return this.uint16() % count
  }

  label(): string {
    return Array.from({ length: 4 }, () => this.uint16().toString(16).padStart(4, '0')).join('')
  }
}
