import type { Socket } from 'node:net'
import { sliceBytes, writeUint16 } from '../codec/bytes.ts'
import { messageLimit } from '../codec/numbers.ts'
import { MessageReader } from '../message-reader.ts'
import { noReply, type Responder, replyLater } from './responder.ts'
import type { Sender } from './sender.ts'

/** Questions of one connection that wait for an upstream; beyond this it is not read from. */
const maxWaiting = 128
/** Replies the client has not taken yet; beyond this it is not read from. */
const maxUnsentBytes = 1 << 20

/** All replies of one read are put together here. Shared by all connections: it is empty again before another one runs. */
const batch = Buffer.allocUnsafeSlow(4 * (messageLimit + 2))
/** Replies that come later; one may come while a batch is being filled. */
const single = Buffer.allocUnsafeSlow(messageLimit + 2)

/** One client over TCP: any number of queries in any pieces, replies as they are ready (RFC 7766). */
export class Connection {
  readonly #socket: Socket
  readonly #responder: Responder
  readonly #sender: Sender
  readonly #reader = new MessageReader()
  #waiting = 0
  #clientEnded = false
  /** When the last whole query came in; a trickle of bytes does not keep a connection alive. */
  lastQueryAtMs: number
  readonly #now: () => number

  constructor(socket: Socket, responder: Responder, sender: Sender, now: () => number) {
    this.#socket = socket
    this.#responder = responder
    this.#sender = sender
    this.#now = now
    this.lastQueryAtMs = now()
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#receive(chunk))
    socket.on('drain', () => this.#resumeIfRoom())
    socket.on('end', () => {
      this.#clientEnded = true
      this.#endWhenDone()
    })
    socket.on('error', () => socket.destroy())
  }

  get isWaiting(): boolean {
    return this.#waiting > 0
  }

  #receive(chunk: Uint8Array): void {
    let length = 0
    for (const message of this.#reader.read(chunk)) {
      if (length + 2 + messageLimit > batch.length) {
        this.#send(batch, length)
        length = 0
      }
      length += this.#respond(message, length)
    }
    this.#send(batch, length)
    if (this.#waiting >= maxWaiting || this.#socket.writableLength > maxUnsentBytes) this.#socket.pause()
  }

  /** Writes a reply with its length before it into the batch; how many bytes that were. */
  #respond(message: Uint8Array, at: number): number {
    this.lastQueryAtMs = this.#now()
    const length = this.#responder.respond(message, this.#sender, batch, at + 2)
    if (length === replyLater) {
      this.#waiting++
      this.#responder.later(this.#sender, (write) => this.#replyLater(write(single, 2)))
      return 0
    }
    if (length === noReply) return 0
    writeUint16(batch, at, length)
    return length + 2
  }

  #replyLater(length: number): void {
    this.#waiting--
    writeUint16(single, 0, length)
    this.#send(single, length + 2)
    this.#resumeIfRoom()
    this.#endWhenDone()
  }

  #send(bytes: Uint8Array, length: number): void {
    if (length > 0 && this.#socket.writable) this.#socket.write(sliceBytes(bytes, 0, length))
  }

  #resumeIfRoom(): void {
    if (this.#waiting < maxWaiting && this.#socket.writableLength <= maxUnsentBytes) this.#socket.resume()
  }

  #endWhenDone(): void {
    if (this.#clientEnded && this.#waiting === 0) this.#socket.end()
  }

  /** Says goodbye once what is under way has been answered. */
  finish(): void {
    this.#clientEnded = true
    this.#socket.pause()
    this.#endWhenDone()
  }

  close(): void {
    this.#socket.destroy()
  }
}
