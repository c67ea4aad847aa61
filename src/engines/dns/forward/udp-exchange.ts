import { createSocket, type Socket } from 'node:dgram'
import { type QuickSend, quickSend, type SendOutcome } from '../../sockets/quick-send.ts'
import { readUint16 } from '../codec/bytes.ts'
import { headerLength } from '../codec/numbers.ts'
import {
  echoesQuestion,
  type QueryForm,
  type Question,
  upstreamQuery,
  upstreamQueryLimit,
  writeUpstreamQuery,
} from '../codec/question.ts'
import { refusesEdns } from '../codec/response.ts'
import { SendBuffer } from '../send-buffer.ts'
import type { RandomNumbers } from './random.ts'
import type { UpstreamAddress } from './upstream-address.ts'

/** Each socket has its own random source port; a forger has to guess it, the id and the socket's lifetime. */
const socketCount = 8
const queriesPerSocket = 1024
const socketLifetimeMs = 60_000

/** What came of a query: the packet; or nobody listens there, or it is not who it should be. */
export type ExchangeResult = Uint8Array | 'unreachable' | 'untrusted'

interface Waiting {
  readonly question: Question
  readonly done: (result: ExchangeResult) => void
}

export interface ExchangeCounters {
  /** Packets that answer nothing we asked: late, forged or broken. */
  unexpected: number
}

/** Asks one upstream over UDP. The sockets are connected, so the kernel drops what comes from anybody else. */
export class UdpExchange {
  readonly #upstream: UpstreamAddress
  readonly #random: RandomNumbers
  readonly #now: () => number
  readonly #counters: ExchangeCounters
  readonly #sockets: (UpstreamSocket | undefined)[] = []
  #closed = false

  constructor(upstream: UpstreamAddress, random: RandomNumbers, now: () => number, counters: ExchangeCounters) {
    this.#upstream = upstream
    this.#random = random
    this.#now = now
    this.#counters = counters
  }

  /** Sends the question. `done` is called at most once, and never after the returned function was. */
  ask(question: Question, form: QueryForm, done: (result: ExchangeResult) => void): () => void {
    if (this.#closed) return () => {}
    const index = this.#random.below(socketCount)
    let socket = this.#sockets[index]
    if (socket === undefined || socket.isWornOut(this.#now())) {
      socket?.retire()
      socket = new UpstreamSocket(this.#upstream, this.#now(), this.#counters)
      this.#sockets[index] = socket
    }
    return socket.ask(question, form, this.#random, done)
  }

  close(): void {
    this.#closed = true
    for (const socket of this.#sockets) socket?.close()
  }
}

const sendBuffer = new SendBuffer(upstreamQueryLimit)

class UpstreamSocket {
  readonly #socket: Socket
  readonly #waiting = new Map<number, Waiting>()
  readonly #bornAt: number
  readonly #counters: ExchangeCounters
  /** Undefined until it is connected. */
  #sending: QuickSend | undefined
  #unsent: Uint8Array[] = []
  #uses = 0
  #retired = false
  #broken = false
  #closed = false

  constructor(upstream: UpstreamAddress, now: number, counters: ExchangeCounters) {
    this.#bornAt = now
    this.#counters = counters
    this.#socket = createSocket({
      type: upstream.family === 4 ? 'udp4' : 'udp6',
      lookup: (hostname, _options, callback) => callback(null, hostname, upstream.family),
    })
    this.#socket.on('message', (packet) => this.#receive(packet))
    this.#socket.on('error', () => this.#fail())
    this.#socket.on('connect', () => this.#sendUnsent())
    this.#socket.unref()
    this.#socket.connect(upstream.port, upstream.address)
  }

  isWornOut(now: number): boolean {
    return this.#broken || this.#uses >= queriesPerSocket || now - this.#bornAt > socketLifetimeMs
  }

  ask(question: Question, form: QueryForm, random: RandomNumbers, done: (result: ExchangeResult) => void): () => void {
    this.#uses++
    const id = this.#freeId(random)
    const waiting = { question, done }
    this.#waiting.set(id, waiting)
    if (this.#sending) this.#write(this.#sending, question, id, form)
    else this.#unsent.push(upstreamQuery(question, id, form))
    return () => {
      if (this.#waiting.get(id) === waiting) this.#waiting.delete(id)
      this.#closeWhenIdle()
    }
  }

  /** At most `queriesPerSocket` ids are taken of 65536, so a few draws find a free one. */
  #freeId(random: RandomNumbers): number {
    let id = random.uint16()
    while (this.#waiting.has(id)) id = random.uint16()
    return id
  }

  #write(sending: QuickSend, question: Question, id: number, form: QueryForm): void {
    if (this.#closed) return
    const packet = sendBuffer.part(writeUpstreamQuery(sendBuffer.bytes, question, id, form))
    if (this.#send(sending, packet) === 'kept') sendBuffer.renew()
  }

  #send(sending: QuickSend, packet: Uint8Array): SendOutcome {
    const outcome = sending.back(packet)
    // In the next turn: who asks does not expect to hear of it before `ask` has returned.
    if (outcome === 'failed') process.nextTick(() => this.#fail())
    return outcome
  }

  #sendUnsent(): void {
    const sending = quickSend(this.#socket)
    this.#sending = sending
    for (const packet of this.#unsent.splice(0)) if (!this.#closed) this.#send(sending, packet)
  }

  #receive(packet: Uint8Array): void {
    const id = packet.length >= 12 ? readUint16(packet, 0) : -1
    const waiting = this.#waiting.get(id)
    if (waiting === undefined || !(echoesQuestion(packet, waiting.question) || isBareRefusal(packet))) {
      // A forger who guesses wrong must not end the wait for the true answer.
      this.#counters.unexpected++
      return
    }
    this.#waiting.delete(id)
    waiting.done(packet)
    this.#closeWhenIdle()
  }

  /** "Connection refused" and the like hold for everything this socket waits for. */
  #fail(): void {
    if (this.#broken) return
    this.#broken = true
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    this.retire()
    for (const { done } of waiting) done('unreachable')
  }

  retire(): void {
    this.#retired = true
    this.#closeWhenIdle()
  }

  #closeWhenIdle(): void {
    if (this.#retired && this.#waiting.size === 0) this.close()
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#broken = true
    this.#waiting.clear()
    this.#socket.close()
  }
}

/** A header that says "format error" and nothing else: old servers do not repeat what they did not understand. */
function isBareRefusal(packet: Uint8Array): boolean {
  return packet.length === headerLength && refusesEdns(packet)
}
