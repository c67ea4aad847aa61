import type { Socket } from 'node:net'
import { ClientHelloReader, type HelloFault, type HelloVerdict } from './client-hello.ts'
import { HttpHeadReader } from './http-head.ts'

/** Why a connection ended before it said where it wants to go. */
export type SniffFault = HelloFault | 'timeout' | 'eof' | 'evicted'

/** What a client speaks. */
export type Protocol = 'tls' | 'http'

export type Sniffed =
  | {
      readonly kind: 'hello'
      readonly protocol: Protocol
      readonly serverName: string | undefined
      /** All bytes read so far, to be sent on as they are. */
      readonly received: Uint8Array
    }
  | { readonly kind: 'fault'; readonly fault: SniffFault; readonly protocol: Protocol }

const handshakeRecord = 22

/** Reads a connection until its ClientHello, or its HTTP head where plain HTTP is served, is judged; the client is paused then, with nothing lost of what follows. */
export class Sniffer {
  readonly done: Promise<Sniffed>
  readonly #client: Socket
  #protocol: Protocol = 'tls'
  #reader: ClientHelloReader | HttpHeadReader = new ClientHelloReader()
  readonly #servesHttp: boolean
  readonly #timer: NodeJS.Timeout
  #resolve: (sniffed: Sniffed) => void = () => {}

  constructor(client: Socket, timeoutMs: number, servesHttp: boolean) {
    this.#client = client
    this.#servesHttp = servesHttp
    this.done = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.#timer = setTimeout(() => this.#fail('timeout'), timeoutMs)
    client.on('data', this.#onData)
    client.on('end', this.#onEnd)
    client.on('close', this.#onEnd)
  }

  /** The place is needed for somebody else. */
  evict(): void {
    this.#fail('evicted')
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#servesHttp && this.#reader.received.length === 0 && bytes[0] !== handshakeRecord) {
      this.#protocol = 'http'
      this.#reader = new HttpHeadReader()
    }
    const verdict = this.#reader.push(bytes)
    if (verdict) this.#finish(this.#outcome(verdict))
  }

  readonly #onEnd = (): void => this.#fail('eof')

  #fail(fault: SniffFault): void {
    this.#finish({ kind: 'fault', fault, protocol: this.#protocol })
  }

  #outcome(verdict: HelloVerdict): Sniffed {
    const protocol = this.#protocol
    if (verdict.kind === 'fault') return { ...verdict, protocol }
    const serverName = verdict.kind === 'named' ? verdict.serverName : undefined
    return { kind: 'hello', protocol, serverName, received: this.#reader.received }
  }

  #finish(sniffed: Sniffed): void {
    clearTimeout(this.#timer)
    this.#client.pause()
    this.#client.off('data', this.#onData)
    this.#client.off('end', this.#onEnd)
    this.#client.off('close', this.#onEnd)
    this.#resolve(sniffed)
  }
}
