import type { Socket } from 'node:dgram'
import { exclusiveSockets } from '../../sockets/exclusive.ts'
import { type QuickSend, quickSend } from '../../sockets/quick-send.ts'
import type { Datagram, Datagrams, Sockets } from '../../sockets/sockets.ts'
import { udpPayloadLimit } from '../codec/numbers.ts'
import { SendBuffer } from '../send-buffer.ts'
import { Arrivals, type Origin } from './arrivals.ts'
import type { DropReason, QueryCounters } from './counters.ts'
import { noReply, type Responder, replyLater } from './responder.ts'
import { type Sender, Senders } from './sender.ts'
import { Unanswered } from './unanswered.ts'
import type { ViewChooser } from './view-chooser.ts'

export interface UdpServerOptions {
  readonly address: string
  readonly port: number
  readonly responder: Responder
  readonly counters: QueryCounters
  readonly sockets?: Sockets | undefined
}

/** Replies that the kernel does not take yet; beyond this, new ones are dropped. */
const sendQueueLimitBytes = 4 << 20

/** One socket on one local address: the reply leaves from where the query came in. */
export class UdpServer {
  readonly #datagrams: Datagrams
  readonly #socket: Socket
  readonly #sending: QuickSend
  readonly #options: UdpServerOptions
  readonly #unanswered = new Unanswered()
  readonly #out = new SendBuffer(udpPayloadLimit)
  readonly #arrivals = new Arrivals((packet, from) => this.#answer(packet, from))
  #hasBacklog = false
  #accepts = true
  #closed = false
  readonly #senders: Senders

  /** Rejects with the system's error when the address cannot be had. */
  static async open(options: UdpServerOptions, chooser: ViewChooser): Promise<UdpServer> {
    const { sockets = exclusiveSockets, address, port } = options
    const server = new UdpServer(options, chooser, await sockets.bind(address, port))
    server.#datagrams.receive((packet, from) => server.handle(packet, from))
    return server
  }

  private constructor(options: UdpServerOptions, chooser: ViewChooser, datagrams: Datagrams) {
    this.#options = options
    this.#senders = new Senders('udp', chooser)
    this.#datagrams = datagrams
    this.#socket = datagrams.socket
    this.#sending = quickSend(datagrams.socket)
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

  /** Public for the packets no test can send, such as one from port 0. */
  handle(packet: Uint8Array, from: Origin): void {
    const dropReason = this.#reasonToDrop(from.port)
    if (dropReason === undefined) this.#arrivals.add(packet, from)
    else this.#options.counters.drop(dropReason)
  }

  #answerLater(sender: Sender, packet: Uint8Array, from: Origin): void {
    const asked = this.#unanswered.add(packet, from)
    this.#options.responder.later(sender, (write) => {
      this.#unanswered.remove(asked)
      this.#send(write(this.#out.bytes, 0), asked.from)
    })
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
    if (length === replyLater) this.#answerLater(sender, packet, from)
    else if (length !== noReply) this.#send(length, from)
  }

  #send(length: number, to: Origin): void {
    if (this.#closed) return
    this.#hasBacklog = this.#sending.to(this.#out.part(length), to.port, to.address) === 'kept'
    if (this.#hasBacklog) this.#out.renew()
  }

  /** Replies under way still go out until `close`. */
  stopAccepting(): void {
    this.#accepts = false
  }

  /** Closes it for another process, which is to answer what is returned. */
  async release(): Promise<readonly Datagram[]> {
    // From here on no answer can be sent, also not one that an upstream gives in the next moment.
    this.#closed = true
    const unanswered = [...this.#unanswered.list(), ...this.#arrivals.takeAll()]
    const asked = unanswered.map(({ packet, from }) => ({ packet: Buffer.from(packet), from }))
    return [...asked, ...(await this.#datagrams.retire())]
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#datagrams.close()
  }
}
