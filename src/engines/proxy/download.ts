import type { OnReadOpts, Socket } from 'node:net'
import { ReadBuffer, type ReadBufferPool } from './read-buffers.ts'

const nothing = Buffer.alloc(0)

/**
 * From target to client without a stream in between: the target's socket reads into a buffer of this connection, and
 * the client's socket sends from the same. As long as the kernel takes all bytes at once the buffer is free again;
 * when it does not, reading stops until it has, and the buffer with the waiting bytes is not read into.
 */
export class Download {
  /** For the socket to the target, when it is made. */
  readonly onread: OnReadOpts
  readonly #client: Socket
  readonly #pool: ReadBufferPool
  readonly #buffer: ReadBuffer
  #target: Socket | undefined
  #waiting: Buffer | undefined

  constructor(client: Socket, pool: ReadBufferPool) {
    this.#client = client
    this.#pool = pool
    this.#buffer = new ReadBuffer(pool)
    this.onread = {
      buffer: () => this.#buffer.current,
      callback: (count, buffer) => this.#forward(count, buffer),
    }
  }

  /** The socket that got connected, of those made with `onread`. */
  from(target: Socket): void {
    this.#target = target
    target.once('close', () => this.#buffer.release())
  }

  /** True: go on reading. */
  #forward(count: number, buffer: Uint8Array): boolean {
    const client = this.#client
    if (client.destroyed) return true
    client.write(buffer.subarray(0, count))
    if (client.writableLength === 0) {
      this.#buffer.reuse(count)
      return true
    }
    this.#waiting = this.#buffer.replace(count)
    // 'drain' comes only after more than the high-water mark; an empty write behind the last one always reports.
    client.write(nothing, this.#onTaken)
    return false
  }

  readonly #onTaken = (error?: Error | null): void => {
    // After an error the kernel's part of the write may not be over: such a buffer is left to the garbage collector.
    if (error) return
    if (this.#waiting) this.#pool.giveBack(this.#waiting)
    this.#waiting = undefined
    this.#target?.resume()
  }
}
