import type { Datagram } from '../../sockets/sockets.ts'
import type { Message } from '../codec/message.ts'
import type { Bindings } from '../leases/bindings.ts'
import type { Outcome } from '../protocol/outcome.ts'
import type { Prober } from './prober.ts'

/** A message as it came in, and when, by a clock that nobody can set. */
export interface Asked extends Datagram {
  readonly atMs: number
}

/** An offer that leaves when nobody is found at its address. */
interface WaitingOffer {
  readonly message: Message
  readonly asked: Asked
  readonly outcome: Outcome
  /** How many addresses were found in use before this one, for this very message. */
  readonly attempts: number
}

interface CarefulParts {
  readonly bindings: Bindings
  readonly prober: Prober
  readonly release: (offer: WaitingOffer) => void
  /** Set the address aside, and find the client another one if there are attempts left. */
  readonly conflict: (offer: WaitingOffer, address: number, user: string) => void
  readonly count: (result: ProbeResult) => void
}

export const probeResults = ['free', 'in-use', 'skipped'] as const
export type ProbeResult = (typeof probeResults)[number]

/** Offers that wait for a probe, by address. A client that asks again meanwhile is answered once, the last time. */
export class CarefulOffers {
  readonly #parts: CarefulParts
  readonly #waiting = new Map<number, WaitingOffer>()

  constructor(parts: CarefulParts) {
    this.#parts = parts
  }

  /** What was asked and has no answer yet. */
  get unanswered(): Datagram[] {
    return [...this.#waiting.values()].map(({ asked: { packet, from } }) => ({ packet, from }))
  }

  hold(offer: WaitingOffer, address: number, timeoutMs: number): void {
    const { prober, release, count } = this.#parts
    this.#waiting.set(address, offer)
    if (prober.isAsking(address)) return
    if (prober.ask(address, timeoutMs, (user) => this.#settle(address, user))) return
    // Under a flood, a client that is answered without care is better off than one that is not answered.
    this.#waiting.delete(address)
    count('skipped')
    release(offer)
  }

  #settle(address: number, user: string | undefined): void {
    const { bindings, release, conflict, count } = this.#parts
    const offer = this.#waiting.get(address)
    this.#waiting.delete(address)
    if (offer === undefined || bindings.offerTo(offer.message.client) !== address) return
    if (user !== undefined && !this.#isOwn(user, offer.message.client)) {
      count('in-use')
      conflict(offer, address, user)
      return
    }
    count('free')
    bindings.noteUnused(address)
    release(offer)
  }

  /**
   * The kernel remembers machines for long after they are gone. So only a stranger is evidence, not the client itself
   * nor another one that has, or had, its address from here.
   */
  #isOwn(user: string, client: string): boolean {
    return user === client || this.#parts.bindings.leaseOf(user) !== undefined
  }
}
