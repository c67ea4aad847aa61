import type { OnReadOpts } from 'node:net'
import { ReadBuffer, type ReadBufferPool } from './read-buffers.ts'
import type { Wire } from './wire.ts'

/**
 * Looks at what is read before it is known where it goes; false stops reading. The first piece stays as it is, the
 * others are only lent for the call.
 */
export type FirstReader = (bytes: Uint8Array) => boolean

const nothing = Buffer.alloc(0)

/**
 * One direction of a connection, without a stream in between: the source's socket reads into a buffer of this
 * connection, and the destination's sends from the same. As long as the kernel takes all bytes at once the buffer is
 * free again; when it does not, reading stops until it has, and the buffer with the waiting bytes is not read into.
 */
export class Flow {
  /** For the socket that is read from, when it is made. */
  readonly onread: OnReadOpts
  readonly #pool: ReadBufferPool
  readonly #buffer: ReadBuffer
  #readFirst: FirstReader | undefined
  #firstPiece: Buffer | undefined
  #source: Wire | undefined
  #destination: Wire | undefined
  #waiting: Buffer | undefined
  #isStopped = false

  constructor(pool: ReadBufferPool, readFirst?: FirstReader) {
    this.#pool = pool
    this.#readFirst = readFirst
    this.#buffer = new ReadBuffer(pool, readFirst ? 'hello' : 'idle')
    this.onread = {
      buffer: () => this.#buffer.current,
      callback: (count, buffer) => this.#forward(count, buffer),
    }
  }

  /** From now on all that is read goes there, behind `first`. */
  join(source: Wire, destination: Wire, first: Uint8Array = nothing): void {
    this.#source = source
    this.#destination = destination
    this.#readFirst = undefined
    const firstPiece = this.#firstPiece
    this.#firstPiece = undefined
    if (first.length > 0) destination.write(first)
    if (destination.writableLength > 0) {
      source.pause()
      this.#await(destination, firstPiece)
    } else {
      if (firstPiece) this.#pool.giveBack(firstPiece)
      if (this.#isStopped) this.#goOn()
    }
  }

  /** Nobody wants to know any more. */
  discard(): void {
    this.#readFirst = () => true
  }

  /** The source is closed: nothing is read into the buffer any more. */
  release(): void {
    this.#buffer.release()
    // What waits may still be on its way to the other side.
    if (this.#waiting) this.#pool.forget(this.#waiting)
    this.#waiting = undefined
  }

  /** True: go on reading. */
  #forward(count: number, buffer: Uint8Array): boolean {
    if (this.#readFirst) {
      this.#isStopped = !this.#look(this.#readFirst, buffer.subarray(0, count))
      return !this.#isStopped
    }
    const destination = this.#destination
    if (!destination || destination.destroyed) return true
    destination.write(buffer.subarray(0, count))
    if (destination.writableLength === 0) {
      this.#buffer.reuse(count)
      return true
    }
    this.#await(destination, this.#buffer.replace(count))
    return false
  }

  #look(readFirst: FirstReader, bytes: Uint8Array): boolean {
    this.#firstPiece ??= this.#buffer.surrender()
    return readFirst(bytes)
  }

  /** 'drain' comes only after more than the high-water mark; an empty write behind the last one always reports. */
  #await(destination: Wire, waiting: Buffer | undefined): void {
    this.#isStopped = true
    this.#waiting = waiting
    destination.write(nothing, this.#onTaken)
  }

  readonly #onTaken = (error?: Error | null): void => {
    // After an error the kernel's part of the write may not be over: such a buffer is left to the garbage collector.
    if (error) return
    if (this.#waiting) this.#pool.giveBack(this.#waiting)
    this.#waiting = undefined
    this.#goOn()
  }

  #goOn(): void {
    this.#isStopped = false
    this.#source?.resume()
  }
}
