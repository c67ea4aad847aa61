import { EventEmitter } from 'node:events'
import type { OnReadOpts } from 'node:net'
import { getSystemErrorName } from 'node:util'
import type { HandleRequest, TcpHandle, TcpHandles } from './tcp-handles.ts'
import type { Wire } from './wire.ts'

export interface ConnectOptions {
  readonly address: string
  readonly port: number
  readonly keepAliveAfterMs: number
  readonly onread: OnReadOpts
}

/** libuv's number for the end of what a peer sends. */
const endOfFile = -4095
const nothing = new Uint8Array(0)
/** Most writes need none beyond the call. */
let spareRequest: HandleRequest | undefined

/**
 * A TCP connection on Node's inner handle, without the two streams that a socket of Node is: of their work a proxy needs
 * none, as the kernel has the queues. It behaves as a socket of Node with `allowHalfOpen` and `onread`, and closes by itself
 * when both directions have ended.
 */
export class HandleSocket extends EventEmitter implements Wire {
  readonly #handles: TcpHandles
  readonly #handle: TcpHandle
  readonly #onread: OnReadOpts
  #buffer: Uint8Array = nothing
  #peer: { address?: string; port?: number } | undefined
  #waiting: ((error?: Error | null) => void)[] | undefined
  #silence: NodeJS.Timeout | undefined
  #isActive = false
  /** Where reading was stopped, the next buffer is asked for when it goes on. */
  #isBufferOver = false
  #isEnding = false
  #isFinished = false
  bytesRead = 0
  writableLength = 0
  readableEnded = false
  destroyed = false
  closed = false

  /** For a handle that is connected; or for one that is not, which `connect` is to follow. */
  constructor(handles: TcpHandles, handle: TcpHandle, onread: OnReadOpts) {
    super()
    this.#handles = handles
    this.#handle = handle
    this.#onread = onread
    handle.onread = this.#read
  }

  /** On a connection that came in. */
  static accepted(handles: TcpHandles, handle: TcpHandle, onread: OnReadOpts): HandleSocket {
    const socket = new HandleSocket(handles, handle, onread)
    socket.#startReading()
    return socket
  }

  /** 'connect' follows, or 'error' and 'close'. */
  static connect(handles: TcpHandles, { address, port, keepAliveAfterMs, onread }: ConnectOptions): HandleSocket {
    const handle = new handles.Tcp(0)
    const socket = new HandleSocket(handles, handle, onread)
    const request = new handles.ConnectRequest()
    request.oncomplete = (status) => {
      if (socket.destroyed) return
      if (status !== 0) return socket.#fail(status, 'connect', ` ${address}:${port}`)
      handle.setNoDelay(true)
      handle.setKeepAlive(true, Math.ceil(keepAliveAfterMs / 1000))
      socket.#startReading()
      socket.emit('connect')
    }
    const status = address.includes(':')
      ? handle.connect6(request, address, port)
      : handle.connect(request, address, port)
    if (status !== 0) process.nextTick(() => socket.#fail(status, 'connect', ` ${address}:${port}`))
    return socket
  }

  get remoteAddress(): string | undefined {
    return this.#peerName().address
  }

  get remotePort(): number | undefined {
    return this.#peerName().port
  }

  write(bytes: Uint8Array | string, onTaken?: (error?: Error | null) => void): void {
    if (this.destroyed) return
    const data = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    if (data.length > 0) this.#send(data)
    if (onTaken) this.#whenTaken(onTaken)
  }

  end(onSent?: () => void): void {
    if (this.destroyed) return
    if (onSent) this.once('finish', onSent)
    if (this.#isFinished) process.nextTick(() => this.emit('finish'))
    if (this.#isEnding) return
    this.#isEnding = true
    const request = new this.#handles.ShutdownRequest()
    request.oncomplete = this.#finish
    // An error here means that the peer is gone already.
    if (this.#handle.shutdown(request) !== 0) process.nextTick(this.#finish)
  }

  pause(): void {
    if (!this.destroyed) this.#handle.readStop()
  }

  resume(): void {
    if (this.destroyed || this.readableEnded) return
    if (this.#isBufferOver) this.#startReading()
    else this.#handle.readStart()
  }

  /** At most a quarter late: a look at the clock for each read and write would cost more than all else around them. */
  setTimeout(milliseconds: number, onSilence: () => void): void {
    clearInterval(this.#silence)
    if (this.destroyed) return
    let quarters = 0
    this.#silence = setInterval(() => {
      quarters = this.#isActive ? 0 : quarters + 1
      this.#isActive = false
      if (quarters < 4) return
      clearInterval(this.#silence)
      onSilence()
    }, milliseconds / 4)
  }

  destroy(): void {
    if (this.destroyed) return
    this.destroyed = true
    clearInterval(this.#silence)
    this.#handle.close(() => {
      this.closed = true
      this.emit('close')
    })
  }

  readonly #finish = (): void => {
    if (this.destroyed) return
    this.#isFinished = true
    this.emit('finish')
    if (this.readableEnded) this.destroy()
  }

  #startReading(): void {
    const next = this.#nextBuffer()
    if (next) this.#handle.useUserBuffer(next)
    this.#isBufferOver = false
    this.#handle.readStart()
  }

  readonly #read = (): Uint8Array | undefined => {
    const count = this.#handles.state[this.#handles.readAt] ?? 0
    if (count === 0 || this.destroyed) return undefined
    if (count < 0) {
      this.#onReadEnd(count)
      return undefined
    }
    this.bytesRead += count
    this.#isActive = true
    if (this.#onread.callback(count, this.#buffer)) return this.#nextBuffer()
    this.#handle.readStop()
    this.#isBufferOver = true
    return undefined
  }

  /** The buffer of the next read, where it is another than that of the last one. */
  #nextBuffer(): Uint8Array | undefined {
    const { buffer } = this.#onread
    const next = typeof buffer === 'function' ? buffer() : buffer
    if (next === this.#buffer) return undefined
    this.#buffer = next
    return next
  }

  #onReadEnd(status: number): void {
    if (status !== endOfFile) {
      this.#fail(status, 'read')
      return
    }
    this.#handle.readStop()
    this.readableEnded = true
    this.emit('end')
    if (this.#isFinished) this.destroy()
  }

  #send(data: Uint8Array): void {
    const { state, isPendingAt, WriteRequest } = this.#handles
    const request: HandleRequest = spareRequest ?? new WriteRequest()
    spareRequest = undefined
    this.#isActive = true
    const status = this.#handle.writeBuffer(request, data)
    if (status === 0 && state[isPendingAt] === 0) {
      // The kernel took it all, and nothing was made of the request: the next write may have it.
      spareRequest = request
      return
    }
    this.writableLength += data.length
    if (status !== 0) process.nextTick(() => this.#fail(status, 'write'))
    request.buffer = data
    request.oncomplete = (result) => this.#onSent(result, data.length)
  }

  #onSent(status: number, count: number): void {
    if (status !== 0) {
      this.#fail(status, 'write')
      return
    }
    this.writableLength -= count
    this.#isActive = true
    if (this.writableLength > 0) return
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const onTaken of waiting) onTaken()
  }

  #whenTaken(onTaken: (error?: Error | null) => void): void {
    if (this.writableLength === 0) process.nextTick(onTaken)
    else {
      this.#waiting ??= []
      this.#waiting.push(onTaken)
    }
  }

  #fail(status: number, call: string, place = ''): void {
    if (this.destroyed) return
    this.destroy()
    this.emit('error', new Error(`${call} ${getSystemErrorName(status)}${place}`))
  }

  #peerName(): { address?: string; port?: number } {
    if (this.#peer) return this.#peer
    const peer = {}
    if (!this.destroyed) this.#handle.getpeername(peer)
    this.#peer = peer
    return peer
  }
}
