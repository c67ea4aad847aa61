/**
 * Reads numbers in network order and never past the end: a read that would cross it gives 0 and sets `overrun`, so a
 * parser checks once per step instead of before every read.
 */
export class ByteReader {
  readonly #bytes: Uint8Array
  position = 0
  overrun = false

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get remaining(): number {
    return this.#bytes.length - this.position
  }

  uint8(): number {
    const value = this.#bytes[this.position]
    this.skip(1)
    return value ?? 0
  }

  uint16(): number {
    const high = this.uint8()
    return high * 256 + this.uint8()
  }

  skip(count: number): undefined {
    if (count > this.remaining) {
      this.overrun = true
      this.position = this.#bytes.length
    } else {
      this.position += count
    }
  }

  take(count: number): Uint8Array {
    const start = this.position
    this.skip(count)
    return this.#bytes.subarray(start, this.position)
  }
}
