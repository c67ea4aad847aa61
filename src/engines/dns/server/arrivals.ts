import type { RemoteInfo } from 'node:dgram'

/** What is needed of where a datagram came from. */
export type Origin = Pick<RemoteInfo, 'address' | 'port'>

export interface Arrival {
  readonly packet: Uint8Array
  readonly from: Origin
}

/** Node reads so many datagrams of a socket at a time; as many in one turn mean that the kernel probably holds more. */
const fullTurn = 32
/** So many are answered before the socket is read again. */
const answersPerTurn = 64
/** A power of two. All of it is used in a burst only, and then takes 7 MB. */
const defaultRoom = 16384

/**
 * Datagrams that were read and are to be answered, in the order they came. Reading costs a third of answering, so a
 * burst is first read, as far as there is room, and then answered: what the kernel has no room for is lost. Answers that
 * leave one after the other are also cheaper than with a read between each two.
 */
export class Arrivals {
  readonly #answer: (packet: Uint8Array, from: Origin) => void
  readonly #room: number
  readonly #packets: (Uint8Array | undefined)[]
  readonly #origins: (Origin | undefined)[]
  #first = 0
  #count = 0
  #readInTurn = 0
  #isTurnDue = false

  constructor(answer: (packet: Uint8Array, from: Origin) => void, room = defaultRoom) {
    this.#answer = answer
    this.#room = room
    this.#packets = new Array<Uint8Array | undefined>(room).fill(undefined)
    this.#origins = new Array<Origin | undefined>(room).fill(undefined)
  }

  add(packet: Uint8Array, from: Origin): void {
    if (this.#count === this.#room) this.#answerFirst()
    const place = (this.#first + this.#count) & (this.#room - 1)
    this.#packets[place] = packet
    this.#origins[place] = from
    this.#count++
    this.#readInTurn++
    if (!this.#isTurnDue) this.#planTurn()
  }

  /** Those that wait, for somebody else to answer. */
  takeAll(): Arrival[] {
    const taken: Arrival[] = []
    while (this.#count > 0) this.#takeFirst((packet, from) => taken.push({ packet, from }))
    return taken
  }

  #planTurn(): void {
    this.#isTurnDue = true
    setImmediate(this.#turn)
  }

  readonly #turn = (): void => {
    this.#isTurnDue = false
    const readMore = this.#readInTurn >= fullTurn && this.#count < this.#room
    this.#readInTurn = 0
    if (!readMore) for (let left = answersPerTurn; left > 0 && this.#count > 0; left--) this.#answerFirst()
    if (this.#count > 0) this.#planTurn()
  }

  #answerFirst(): void {
    this.#takeFirst(this.#answer)
  }

  #takeFirst(use: (packet: Uint8Array, from: Origin) => void): void {
    const place = this.#first
    const packet = this.#packets[place]
    const from = this.#origins[place]
    this.#packets[place] = undefined
    this.#origins[place] = undefined
    this.#first = (place + 1) & (this.#room - 1)
    this.#count--
    if (packet !== undefined && from !== undefined) use(packet, from)
  }
}
