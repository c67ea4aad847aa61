import type { Phase } from '../phase.ts'
import { ClientHelloReader, type HelloFault, type HelloVerdict } from './client-hello.ts'
import { HttpHeadReader } from './http-head.ts'

/** Why a connection ended before it said where it wants to go. */
export type SniffFault = HelloFault | 'timeout' | 'eof' | 'evicted'

/** What a client speaks. */
export type Protocol = 'tls' | 'http' | 'raw'

export type Sniffed =
  | { readonly kind: 'hello'; readonly serverName: string | undefined }
  | { readonly kind: 'fault'; readonly fault: SniffFault }

const handshakeRecord = 22

/** What a client may send behind its hello before it is connected. Few send any: TLS waits for the server's answer. */
const maxEarlyBytes = 65_536

/** What a port is for: TLS alone, plain HTTP besides, or whatever is spoken. */
export type PortUse = 'tls' | 'tls-or-http' | 'raw'

/**
 * Reads a connection until its ClientHello, or its HTTP head where plain HTTP is served, is judged, and keeps what
 * follows. On a raw port there is nothing to wait for.
 */
export class Sniffer implements Phase {
  readonly done: Promise<Sniffed>
  protocol: Protocol = 'tls'
  #reader: ClientHelloReader | HttpHeadReader = new ClientHelloReader()
  readonly #use: PortUse
  readonly #timer: NodeJS.Timeout
  #isDecided = false
  #resolve: (sniffed: Sniffed) => void = () => {}

  constructor(timeoutMs: number, use: PortUse) {
    this.#use = use
    this.done = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.#timer = setTimeout(() => this.#fail('timeout'), timeoutMs)
    if (use !== 'raw') return
    this.protocol = 'raw'
    this.#decide({ kind: 'hello', serverName: undefined })
  }

  /** All bytes read so far, to be sent on as they are. */
  get received(): Uint8Array {
    return this.#reader.received
  }

  /** True: go on reading. It goes on behind the hello too, because only who reads learns that a client has left. */
  readonly read = (bytes: Uint8Array): boolean => {
    if (this.#use === 'tls-or-http' && this.#reader.received.length === 0 && bytes[0] !== handshakeRecord) {
      this.protocol = 'http'
      this.#reader = new HttpHeadReader()
    }
    const verdict = this.#reader.push(bytes)
    if (verdict) this.#decide(outcomeOf(verdict))
    return this.#reader.received.length < maxEarlyBytes
  }

  /** The place is needed for somebody else. */
  evict(): void {
    this.#fail('evicted')
  }

  clientEnded(): void {
    this.#fail('eof')
  }

  clientClosed(): void {
    this.#fail('eof')
  }

  #fail(fault: SniffFault): void {
    this.#decide({ kind: 'fault', fault })
  }

  #decide(sniffed: Sniffed): void {
    if (this.#isDecided) return
    this.#isDecided = true
    clearTimeout(this.#timer)
    this.#resolve(sniffed)
  }
}

function outcomeOf(verdict: HelloVerdict): Sniffed {
  if (verdict.kind === 'fault') return verdict
  return { kind: 'hello', serverName: verdict.kind === 'named' ? verdict.serverName : undefined }
}
