/** Sizes of read buffers: each a quarter of the next, so that a buffer read a quarter full is one size too large. */
const sizes = [256, 1024, 4096, 16_384, 65_536, 262_144] as const
/** Bulk costs a third less CPU time with it than with the size below; that many at a time, as slow readers hold them. */
const largest = sizes[5]
const maxLargest = 256
/** What a connection begins with: idle it needs little, before its hello enough for most of them in one piece. */
const startSizes = { idle: sizes[0], hello: sizes[2] } as const
const maxSpareBytesPerSize = 4 * 1024 * 1024

/** Buffers that no connection uses at the moment. */
export class ReadBufferPool {
  readonly #spare = new Map<number, Buffer[]>(sizes.map((size) => [size, []]))
  #largestInUse = 0

  /** One of this size, or where there are too many of the largest in use one of the size below. */
  take(wanted: number): Buffer {
    const size = wanted === largest && this.#largestInUse >= maxLargest ? largest / 4 : wanted
    if (size === largest) this.#largestInUse += 1
    return this.#spare.get(size)?.pop() ?? Buffer.allocUnsafe(size)
  }

  /** Only for a buffer that no socket reads into and that no pending write still sends from. */
  giveBack(buffer: Buffer): void {
    this.forget(buffer)
    const spare = this.#spare.get(buffer.length)
    if (spare && (spare.length + 1) * buffer.length <= maxSpareBytesPerSize) spare.push(buffer)
  }

  /** For one that is left to the garbage collector, as somebody may still send from it. */
  forget(buffer: Buffer): void {
    if (buffer.length === largest) this.#largestInUse -= 1
  }
}

/**
 * The read buffer of one connection, owned by it alone: idle connections hold the smallest, busy ones grow into the
 * largest. A buffer shared between connections would be cheaper still, and wrong: bytes that a slow client has not
 * taken yet stay in it, and the next read of any other connection would overwrite them.
 */
export class ReadBuffer {
  readonly #pool: ReadBufferPool
  #current: Buffer | undefined
  #nextSize: number

  constructor(pool: ReadBufferPool, start: keyof typeof startSizes = 'idle') {
    this.#pool = pool
    this.#nextSize = startSizes[start]
  }

  /** What the next read goes into, taken when it is asked for: a connection that waits has none. */
  get current(): Buffer {
    this.#current ??= this.#pool.take(this.#nextSize)
    return this.#current
  }

  /** The last read brought `count` bytes and they are all sent: the next one may have a buffer that fits better. */
  reuse(count: number): void {
    const { length } = this.current
    if (fittingSize(length, count) !== length) this.#pool.giveBack(this.replace(count))
  }

  /** The last read brought `count` bytes that are not all sent: the buffer stays theirs, and the next read gets another. */
  replace(count: number): Buffer {
    return this.#handOut(fittingSize(this.current.length, count))
  }

  /** The buffer as it is, for somebody to keep; the next read gets one for an idle connection. */
  surrender(): Buffer {
    return this.#handOut(startSizes.idle)
  }

  /** No socket reads into it any more. */
  release(): void {
    if (this.#current) this.#pool.giveBack(this.#current)
    this.#current = undefined
  }

  #handOut(nextSize: number): Buffer {
    const old = this.current
    this.#current = undefined
    this.#nextSize = nextSize
    return old
  }
}

/** One size up after a full read, one down after a read that would have fitted there. */
function fittingSize(size: number, count: number): number {
  if (count === size) return Math.min(size * 4, largest)
  return count * 4 <= size ? Math.max(size / 4, sizes[0]) : size
}
