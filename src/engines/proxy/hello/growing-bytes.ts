/** Bytes that arrive in pieces, kept in one run. Doubling makes a thousand one-byte pieces cost a few copies, not a thousand. */
export class GrowingBytes {
  #buffer: Uint8Array = new Uint8Array(0)
  #length = 0

  get length(): number {
    return this.#length
  }

  append(piece: Uint8Array): void {
    if (this.#length === 0) {
      // The usual case: the first piece is all there is. It is never written to, because it has no room left.
      this.#buffer = piece
      this.#length = piece.length
      return
    }
    const needed = this.#length + piece.length
    if (needed > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#buffer.length, 512))
      grown.set(this.view())
      this.#buffer = grown
    }
    this.#buffer.set(piece, this.#length)
    this.#length = needed
  }

  view(): Uint8Array {
    return this.#buffer.subarray(0, this.#length)
  }
}
