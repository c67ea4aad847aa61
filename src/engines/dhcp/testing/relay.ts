import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type PacketText, type ParsedReply, packet, parseReply } from './packets.ts'

/** A relay agent on the loopback network: by relaying, a whole server can be tested by an ordinary user. */
export class LoopbackRelay {
  readonly #socket: Socket
  readonly #serverAddress: string
  readonly #waiting = new Map<number, (reply: ParsedReply) => void>()
  #transactionId = 1
  readonly port: number
  readonly address = '127.0.0.2'

  private constructor(socket: Socket, serverAddress: string) {
    this.#socket = socket
    this.#serverAddress = serverAddress
    this.port = socket.address().port
    socket.on('message', (bytes) => {
      const reply = parseReply(bytes)
      this.#waiting.get(reply.transactionId)?.(reply)
    })
  }

  /** The server must use the port of the relay: that is where it answers relay agents. */
  static async open(serverAddress: string): Promise<LoopbackRelay> {
    const socket = createSocket('udp4')
    socket.bind(0, '127.0.0.2')
    await once(socket, 'listening')
    return new LoopbackRelay(socket, serverAddress)
  }

  /** Undefined if there is no answer within the time. */
  ask(text: PacketText, timeoutMs = 5000): Promise<ParsedReply | undefined> {
    const transactionId = this.#transactionId++
    const bytes = packet({ relayAddress: this.address, ...text, transactionId })
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(transactionId, resolve, undefined), timeoutMs)
      this.#waiting.set(transactionId, (reply) => {
        clearTimeout(timer)
        this.#settle(transactionId, resolve, reply)
      })
      this.#socket.send(bytes, this.port, this.#serverAddress)
    })
  }

  /** The whole exchange; the address that was got. */
  async join(mac: string): Promise<string | undefined> {
    const offer = await this.ask({ type: 'discover', mac })
    if (offer?.type !== 'offer') return undefined
    const ack = await this.ask({
      type: 'request',
      mac,
      options: [
        [50, offer.yourAddress],
        [54, this.#serverAddress],
      ],
    })
    return ack?.type === 'ack' ? ack.yourAddress : undefined
  }

  close(): void {
    this.#socket.close()
  }

  #settle(transactionId: number, resolve: (reply?: ParsedReply) => void, reply: ParsedReply | undefined): void {
    this.#waiting.delete(transactionId)
    resolve(reply)
  }
}
