import { connect, type TLSSocket } from 'node:tls'
import { readUint16, writeUint16 } from '../codec/bytes.ts'
import { echoesQuestion, type Question, upstreamQuery } from '../codec/question.ts'
import { MessageReader } from '../message-reader.ts'
import type { RandomNumbers } from './random.ts'
import type { ExchangeCounters, ExchangeResult } from './udp-exchange.ts'
import type { UpstreamAddress } from './upstream-address.ts'

/** RFC 7858 section 3.4: connections are kept for further questions, for a while. */
const idleMs = 10_000
const handshakeTimeoutMs = 5000
/** RFC 8467 section 4.1: all queries look equally long. */
const paddedTo = 128

interface Waiting {
  readonly question: Question
  readonly done: (result: ExchangeResult) => void
  /** Its connection was closed under it once. */
  wasMoved: boolean
}

export interface TlsOptions {
  /** PEM certificates of those who vouch for upstreams. */
  readonly authorities: () => readonly string[]
  readonly onUntrusted: (message: string) => void
}

/** Asks one upstream over TLS (RFC 7858): one connection for all questions, opened when there is one, resumed later. */
export class TlsExchange {
  readonly #upstream: UpstreamAddress
  readonly #random: RandomNumbers
  readonly #counters: ExchangeCounters
  readonly #options: TlsOptions
  #connection: TlsConnection | undefined
  #session: Buffer | undefined
  #authorities: string[] | undefined
  #closed = false

  constructor(upstream: UpstreamAddress, random: RandomNumbers, counters: ExchangeCounters, options: TlsOptions) {
    this.#upstream = upstream
    this.#random = random
    this.#counters = counters
    this.#options = options
  }

  /** Sends the question. `done` is called at most once, and never after the returned function was. */
  ask(question: Question, done: (result: ExchangeResult) => void): () => void {
    if (this.#closed) return () => {}
    let cancelled = false
    const finish = (result: ExchangeResult): void => {
      if (!cancelled) done(result)
      cancelled = true
    }
    this.#send({ question, done: finish, wasMoved: false })
    return () => {
      cancelled = true
    }
  }

  #send(waiting: Waiting): void {
    this.#connection ??= this.#open()
    this.#connection.send(waiting, this.#random)
  }

  #open(): TlsConnection {
    const { address, port, tlsName } = this.#upstream
    this.#authorities ??= [...this.#options.authorities()]
    const socket = connect({
      host: address,
      port,
      servername: tlsName,
      ca: this.#authorities,
      minVersion: 'TLSv1.2',
      session: this.#session,
    })
    socket.on('session', (session) => {
      this.#session = session
    })
    const connection: TlsConnection = new TlsConnection(socket, this.#counters, (waiting, hadAnswers, error) =>
      this.#ended(connection, waiting, hadAnswers, error),
    )
    return connection
  }

  /**
   * A server may close a connection at any time; what was on its way is asked again on a new one, once. If it never
   * answered anything, it is not the connection's fault.
   */
  #ended(connection: TlsConnection, waiting: readonly Waiting[], hadAnswers: boolean, error: Error | undefined): void {
    if (this.#connection === connection) this.#connection = undefined
    const isUntrusted = error !== undefined && isCertificateError(error)
    if (isUntrusted) {
      this.#session = undefined
      this.#options.onUntrusted(error.message)
    }
    for (const each of waiting) {
      if (!hadAnswers || each.wasMoved || this.#closed) each.done(isUntrusted ? 'untrusted' : 'unreachable')
      else this.#send({ ...each, wasMoved: true })
    }
  }

  /** A peer that has gone silent may come back, but not on this connection. */
  reset(): void {
    this.#connection?.close()
  }

  close(): void {
    this.#closed = true
    this.#connection?.close()
  }
}

type Ended = (waiting: readonly Waiting[], hadAnswers: boolean, error: Error | undefined) => void

class TlsConnection {
  readonly #socket: TLSSocket
  readonly #counters: ExchangeCounters
  readonly #waiting = new Map<number, Waiting>()
  readonly #reader = new MessageReader()
  /** Nothing is said before it is known who listens. */
  #unsent: Uint8Array[] | undefined = []
  #hadAnswers = false
  #error: Error | undefined

  constructor(socket: TLSSocket, counters: ExchangeCounters, ended: Ended) {
    this.#socket = socket
    this.#counters = counters
    socket.setNoDelay(true)
    socket.setTimeout(handshakeTimeoutMs, () => socket.destroy())
    socket.on('secureConnect', () => {
      socket.setTimeout(idleMs)
      for (const packet of this.#unsent ?? []) socket.write(packet)
      this.#unsent = undefined
    })
    socket.on('data', (chunk) => {
      for (const message of this.#reader.read(chunk)) this.#receive(message)
    })
    socket.on('end', () => socket.destroy())
    socket.on('error', (error) => {
      this.#error = error
    })
    socket.on('close', () => {
      const waiting = [...this.#waiting.values()]
      this.#waiting.clear()
      ended(waiting, this.#hadAnswers, this.#error)
    })
    socket.unref()
  }

  send(waiting: Waiting, random: RandomNumbers): void {
    let id = random.uint16()
    while (this.#waiting.has(id)) id = random.uint16()
    this.#waiting.set(id, waiting)
    const packet = upstreamQuery(waiting.question, id, { edns: true, padTo: paddedTo })
    const framed = new Uint8Array(packet.length + 2)
    writeUint16(framed, 0, packet.length)
    framed.set(packet, 2)
    if (this.#unsent) this.#unsent.push(framed)
    else this.#socket.write(framed)
  }

  #receive(packet: Uint8Array): void {
    const id = packet.length >= 12 ? readUint16(packet, 0) : -1
    const waiting = this.#waiting.get(id)
    if (waiting === undefined || !echoesQuestion(packet, waiting.question)) {
      this.#counters.unexpected++
      return
    }
    this.#hadAnswers = true
    this.#waiting.delete(id)
    waiting.done(packet)
  }

  close(): void {
    this.#socket.destroy()
  }
}

function isCertificateError(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : ''
  return code.startsWith('ERR_TLS_CERT') || code.includes('CERT') || code.startsWith('UNABLE_TO_VERIFY')
}
