import { createSocket, type Socket } from 'node:dgram'
import { udpPayloadLimit } from '../codec/numbers.ts'
import { SendBuffer } from '../send-buffer.ts'
import { Arrivals, type Origin } from './arrivals.ts'
import type { DropReason, QueryCounters } from './counters.ts'
import { noReply, type Responder, replyLater } from './responder.ts'
import { Senders } from './sender.ts'
import type { ViewChooser } from './view-chooser.ts'

export interface UdpServerOptions {
  readonly address: string
  readonly port: number
  readonly responder: Responder
  readonly counters: QueryCounters
}

/** A burst waits in the kernel instead of being lost; the kernel cuts it to what the host allows. */
const receiveBufferBytes = 4 << 20
/** Replies that the kernel does not take yet; beyond this, new ones are dropped. */
const sendQueueLimitBytes = 4 << 20

/** One socket on one local address: the reply leaves from where the query came in. */
export class UdpServer {
  readonly #socket: Socket
  readonly #options: UdpServerOptions
  readonly #family: 4 | 6
  readonly #out = new SendBuffer(udpPayloadLimit)
  readonly #arrivals = new Arrivals((packet, from) => this.#answer(packet, from))
  #hasBacklog = false
  #accepts = true
  #closed = false
  readonly #senders: Senders

  /** Rejects with the system's error when the address cannot be had. */
  static async open(options: UdpServerOptions, chooser: ViewChooser): Promise<UdpServer> {
    const server = new UdpServer(options, chooser)
    await server.#bind()
    return server
  }

  private constructor(options: UdpServerOptions, chooser: ViewChooser) {
    this.#options = options
    this.#senders = new Senders('udp', chooser)
    this.#family = options.address.includes(':') ? 6 : 4
    this.#socket = createSocket({
      type: this.#family === 4 ? 'udp4' : 'udp6',
      ipv6Only: this.#family === 6,
      // Addresses need no resolver. Answering at once also means that a send is over when the call returns.
      lookup: (hostname, _options, callback) => callback(null, hostname, this.#family),
    })
    this.#socket.on('message', (packet, from) => this.handle(packet, from))
  }

  get chooser(): ViewChooser {
    return this.#senders.chooser
  }

  set chooser(chooser: ViewChooser) {
    this.#senders.chooser = chooser
  }

  get port(): number {
    return this.#socket.address().port
  }

  #bind(): Promise<void> {
    const { address, port } = this.#options
    return new Promise((resolve, reject) => {
      this.#socket.once('error', (error) => {
        this.#socket.close()
        reject(error)
      })
      this.#socket.bind({ address, port, exclusive: true }, () => {
        this.#socket.removeAllListeners('error')
        // What concerns one peer ("host unreachable") must not end the service for all.
        this.#socket.on('error', () => {})
        this.#widenReceiveBuffer()
        resolve()
      })
    })
  }

  #widenReceiveBuffer(): void {
    try {
      this.#socket.setRecvBufferSize(receiveBufferBytes)
    } catch {
      // The default is smaller, not wrong.
    }
  }

  /** Public for the packets no test can send, such as one from port 0. */
  handle(packet: Uint8Array, from: Origin): void {
    const dropReason = this.#reasonToDrop(from.port)
    if (dropReason === undefined) this.#arrivals.add(packet, from)
    else this.#options.counters.drop(dropReason)
  }

  #reasonToDrop(fromPort: number): DropReason | undefined {
    if (!this.#accepts) return 'stopping'
    if (fromPort === 0) return 'port-zero'
    const isFull = this.#hasBacklog && this.#socket.getSendQueueSize() > sendQueueLimitBytes
    return isFull ? 'send-queue-full' : undefined
  }

  #answer(packet: Uint8Array, from: Origin): void {
    if (this.#closed) return
    const { responder } = this.#options
    const sender = this.#senders.at(from.address)
    const length = responder.respond(packet, sender, this.#out.bytes, 0)
    if (length === replyLater) responder.later(sender, (write) => this.#send(write(this.#out.bytes, 0), from))
    else if (length !== noReply) this.#send(length, from)
  }

  #send(length: number, to: Origin): void {
    if (this.#closed) return
    this.#socket.send(this.#out.part(length), to.port, to.address)
    // Not taken by the kernel yet: the buffer belongs to the socket until it is.
    this.#hasBacklog = this.#socket.getSendQueueCount() > 0
    if (this.#hasBacklog) this.#out.renew()
  }

  /** Replies under way still go out until `close`. */
  stopAccepting(): void {
    this.#accepts = false
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#socket.close()
  }
}
