/** Cuts a stream of bytes into lines of bounded length; what follows the last newline is not a line. */
export class LineCutter {
  readonly #longestBytes: number
  #parts: Buffer[] = []
  #bytes = 0

  constructor(longestBytes: number) {
    this.#longestBytes = longestBytes
  }

  /** The lines that this chunk completes; undefined when a line is longer than allowed. */
  push(chunk: Buffer): string[] | undefined {
    const lines: string[] = []
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#keep(chunk.subarray(start, end))
      if (this.#bytes > this.#longestBytes) return undefined
      lines.push(Buffer.concat(this.#parts).toString())
      this.#parts = []
      this.#bytes = 0
      start = end + 1
    }
    this.#keep(chunk.subarray(start))
    return this.#bytes > this.#longestBytes ? undefined : lines
  }

  /** What was left over when the stream ended. */
  rest(): string {
    return Buffer.concat(this.#parts).toString()
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return
    this.#parts.push(part)
    this.#bytes += part.length
  }
}

const newline = 0x0a
