import type { Socket } from 'node:net'
import { ClientHelloReader, type HelloFault, type HelloVerdict } from './client-hello.ts'

/** Why a connection ended before it said where it wants to go. */
export type SniffFault = HelloFault | 'timeout' | 'eof' | 'evicted'

export type Sniffed =
  | {
      readonly kind: 'hello'
      readonly serverName: string | undefined
      /** All bytes read so far, to be sent on as they are. */
      readonly received: Uint8Array
    }
  | { readonly kind: 'fault'; readonly fault: SniffFault }

/** Reads a connection until its ClientHello is judged; the client is paused then, with nothing lost of what follows. */
export class Sniffer {
  readonly done: Promise<Sniffed>
  readonly #client: Socket
  readonly #reader = new ClientHelloReader()
  readonly #timer: NodeJS.Timeout
  #resolve: (sniffed: Sniffed) => void = () => {}

  constructor(client: Socket, timeoutMs: number) {
    this.#client = client
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
    const verdict = this.#reader.push(bytes)
    if (verdict) this.#finish(this.#outcome(verdict))
  }

  readonly #onEnd = (): void => this.#fail('eof')

  #fail(fault: SniffFault): void {
    this.#finish({ kind: 'fault', fault })
  }

  #outcome(verdict: HelloVerdict): Sniffed {
    if (verdict.kind === 'fault') return verdict
    const serverName = verdict.kind === 'named' ? verdict.serverName : undefined
    return { kind: 'hello', serverName, received: this.#reader.received }
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
