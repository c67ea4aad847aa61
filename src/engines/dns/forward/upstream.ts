import { formWithoutEdns, type Question, usualForm } from '../codec/question.ts'
import type { Way } from './judge.ts'
import type { RandomNumbers } from './random.ts'
import { RoundTrip } from './round-trip.ts'
import { askOverTcp } from './tcp-exchange.ts'
import { TlsExchange, type TlsOptions } from './tls-exchange.ts'
import { type ExchangeResult, UdpExchange } from './udp-exchange.ts'
import { formatUpstream, type UpstreamAddress } from './upstream-address.ts'

export const upstreamErrors = [
  'timeout',
  'unreachable',
  'untrusted',
  'malformed',
  'refused',
  'loop',
  'unexpected',
] as const
export type UpstreamError = (typeof upstreamErrors)[number]

/** So many failures in a row, and an upstream is asked only when nobody else is left. */
const failuresUntilDown = 3

/** An upstream without EDNS is not asked with it in every query; it may be replaced, so sometimes it is. */
const askPlainlyMs = 600_000

/** One server that queries are forwarded to, and what is known of its health. */
export class Upstream {
  readonly address: UpstreamAddress
  readonly label: string
  readonly errors: Record<UpstreamError, number> = {
    timeout: 0,
    unreachable: 0,
    untrusted: 0,
    malformed: 0,
    refused: 0,
    loop: 0,
    unexpected: 0,
  }
  queryCount = 0
  /** Our own queries come back to us from there. */
  isLooping = false
  lastError: UpstreamError | undefined
  readonly roundTrip = new RoundTrip()
  readonly #random: RandomNumbers
  readonly #now: () => number
  readonly #udp: UdpExchange
  readonly #tls: TlsExchange | undefined
  #plainUntilMs = 0
  #failuresInARow = 0

  constructor(address: UpstreamAddress, random: RandomNumbers, now: () => number, tls: TlsOptions) {
    this.address = address
    this.label = formatUpstream(address)
    this.#random = random
    this.#now = now
    this.#udp = new UdpExchange(address, random, now, this.errors)
    if (address.tlsName !== undefined) this.#tls = new TlsExchange(address, random, this.errors, tls)
  }

  get isDown(): boolean {
    return this.#failuresInARow >= failuresUntilDown
  }

  get isHealthy(): boolean {
    return !this.isDown && !this.isLooping
  }

  /** The returned function ends the wait. */
  ask(question: Question, done: (result: ExchangeResult, way: Way) => void): () => void {
    if (this.#plainUntilMs > this.#now())
      return this.askWithoutEdns(question, (result) => done(result, 'udp-without-edns'))
    this.queryCount++
    if (this.#tls !== undefined) return this.#tls.ask(question, (result) => done(result, 'stream'))
    return this.#udp.ask(question, usualForm, (result) => done(result, 'udp'))
  }

  askWithoutEdns(question: Question, done: (result: ExchangeResult) => void): () => void {
    this.queryCount++
    return this.#udp.ask(question, formWithoutEdns, done)
  }

  /** It answers when asked without EDNS only. */
  answeredWithoutEdns(): void {
    this.#plainUntilMs = this.#now() + askPlainlyMs
  }

  askOverTcp(question: Question, done: (result: ExchangeResult) => void): () => void {
    return askOverTcp(this.address, question, this.#random, done)
  }

  replied(): void {
    this.#failuresInARow = 0
  }

  failed(error: UpstreamError): void {
    this.errors[error]++
    this.lastError = error
    // Whoever says "refused" or talks nonsense is alive; only silence makes an upstream one to avoid.
    if (error === 'timeout' || error === 'unreachable' || error === 'untrusted') this.#failuresInARow++
    if (this.isDown) this.#tls?.reset()
  }

  close(): void {
    this.#udp.close()
    this.#tls?.close()
  }
}
