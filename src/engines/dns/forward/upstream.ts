import type { Question } from '../codec/question.ts'
import type { RandomNumbers } from './random.ts'
import { askOverTcp } from './tcp-exchange.ts'
import { type ExchangeResult, UdpExchange } from './udp-exchange.ts'
import { formatUpstream, type UpstreamAddress } from './upstream-address.ts'

export const upstreamErrors = ['timeout', 'unreachable', 'malformed', 'refused', 'loop', 'unexpected'] as const
export type UpstreamError = (typeof upstreamErrors)[number]

/** So many failures in a row, and an upstream is asked only when nobody else is left. */
const failuresUntilDown = 3

/** One server that queries are forwarded to, and what is known of its health. */
export class Upstream {
  readonly address: UpstreamAddress
  readonly label: string
  readonly errors: Record<UpstreamError, number> = {
    timeout: 0,
    unreachable: 0,
    malformed: 0,
    refused: 0,
    loop: 0,
    unexpected: 0,
  }
  queryCount = 0
  /** Our own queries come back to us from there. */
  isLooping = false
  lastError: UpstreamError | undefined
  readonly #random: RandomNumbers
  readonly #udp: UdpExchange
  #failuresInARow = 0

  constructor(address: UpstreamAddress, random: RandomNumbers, now: () => number) {
    this.address = address
    this.label = formatUpstream(address)
    this.#random = random
    this.#udp = new UdpExchange(address, random, now, this.errors)
  }

  get isDown(): boolean {
    return this.#failuresInARow >= failuresUntilDown
  }

  get isHealthy(): boolean {
    return !this.isDown && !this.isLooping
  }

  /** The returned function ends the wait. */
  ask(question: Question, done: (result: ExchangeResult) => void): () => void {
    this.queryCount++
    return this.#udp.ask(question, done)
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
    if (error === 'timeout' || error === 'unreachable') this.#failuresInARow++
  }

  close(): void {
    this.#udp.close()
  }
}
