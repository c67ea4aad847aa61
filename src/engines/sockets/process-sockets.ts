import { everybody, isSamePlace, type Place } from '../../core/places/place.ts'
import type { Problem } from '../../core/result.ts'
import type { InheritedSocket } from '../../runtime/host/inherited-sockets.ts'
import { listenProblem } from '../listen-problem.ts'
import { bindTo, InheritedDatagrams } from './datagrams.ts'
import { InheritedListening, listenOn } from './listening.ts'
import { openServer, openSocket } from './open.ts'
import { PlaceTaken, ReservedPlaces } from './reserved.ts'
import type { Datagram, Datagrams, Listening, Sockets } from './sockets.ts'

interface Inherited extends InheritedSocket {
  readonly socket: InheritedListening | InheritedDatagrams
  wasLent: boolean
}

/** A datagram that another process has received and left to this one. */
export interface LeftDatagram extends Datagram {
  readonly place: Place
}

/**
 * All that this process listens on. A place that is open already is lent instead of bound: inherited from systemd, or
 * bound beside the process that this one takes over from. Other places are bound when they are wanted, with
 * `isShared` so that a later process can be beside this one.
 */
export class ProcessSockets {
  readonly #inherited: readonly Inherited[]
  readonly #isShared: boolean
  readonly #owners = new Set<OwnerSockets>()
  #left: LeftDatagram[] = []
  #isLeaving = false

  constructor(inherited: readonly InheritedSocket[], isShared: boolean) {
    const isLeaving = () => this.#isLeaving
    this.#isShared = isShared
    this.#inherited = inherited.map((one) => ({
      ...one,
      socket: new (one.place.protocol === 'tcp' ? InheritedListening : InheritedDatagrams)(
        one.fd,
        one.place.address,
        isLeaving,
      ),
      wasLent: false,
    }))
  }

  /** For one owner, whose name prefers the inherited sockets that bear it. */
  of(owner: string): OwnerSockets {
    const sockets = new OwnerSockets(this, owner)
    this.#owners.add(sockets)
    return sockets
  }

  /** The process that this one takes over from is asked to stop now; until then it has answered what everybody hears. */
  forgetCopies(): void {
    for (const owner of this.#owners) owner.forgetCopies()
  }

  /** Does another owner have it, in this very process? */
  isReserved(place: Place): boolean {
    return [...this.#owners].some((owner) => owner.hasReserved(place))
  }

  /** Those that nobody has wanted so far. */
  get unwanted(): readonly InheritedSocket[] {
    return this.#inherited.filter(({ wasLent }) => !wasLent)
  }

  /** From now on what is closed is left to another process, or to nobody. */
  leave(): void {
    this.#isLeaving = true
    for (const { socket } of this.#inherited) socket.closeIdle()
  }

  /** For whoever binds the place next. */
  receiveLeft(datagrams: readonly LeftDatagram[]): void {
    this.#left.push(...datagrams)
  }

  takeLeft(place: Place): readonly Datagram[] {
    const taken = this.#left.filter((one) => isSamePlace(one.place, place))
    this.#left = this.#left.filter((one) => !taken.includes(one))
    return taken
  }

  isInherited(place: Place, owner: string): boolean {
    return this.#find(place, owner) !== undefined
  }

  async listen(place: Place, owner: string): Promise<Listening> {
    const inherited = this.#find(place, owner)
    if (inherited?.socket instanceof InheritedListening && !inherited.socket.isLent) {
      inherited.wasLent = true
      return inherited.socket.lend()
    }
    const { address, port } = place
    if (!this.#isShared) return listenOn({ address, port })
    // A shared port is given also where a stranger of the same user has it; one that is not shared is not.
    const probe = await openServer({ address, port })
    probe.close()
    return listenOn({ address, port, sharing: 'port' })
  }

  async bind(place: Place, isForAll: boolean, owner: string): Promise<Datagrams> {
    const inherited = this.#find(place, owner)
    const left = this.takeLeft(place)
    if (inherited?.socket instanceof InheritedDatagrams && (isForAll || !inherited.socket.isLent)) {
      inherited.wasLent = true
      return inherited.socket.lend(left)
    }
    const { address, port } = place
    if (isForAll) return bindTo({ address, port, sharing: 'address' })
    if (!this.#isShared) return bindTo({ address, port }, left)
    const probe = await openSocket({ address, port }, () => {})
    probe.close()
    return bindTo({ address, port, sharing: 'port' }, left)
  }

  /** One that bears the owner's name goes before one that is for anybody. */
  #find(place: Place, owner: string): Inherited | undefined {
    const candidates = this.#inherited.filter((one) => isSamePlace(one.place, place))
    return candidates.find(({ name }) => name === owner) ?? candidates[0]
  }
}

/** What one owner of the process listens on. */
export class OwnerSockets implements Sockets {
  readonly #all: ProcessSockets
  readonly #owner: string
  readonly #reserved: ReservedPlaces

  constructor(all: ProcessSockets, owner: string) {
    this.#all = all
    this.#owner = owner
    this.#reserved = new ReservedPlaces()
  }

  /**
   * Binds these places beside another process that has them too, or returns why one cannot be had and has none. What
   * comes waits until an engine asks for the place.
   */
  async reserve(places: readonly Place[]): Promise<readonly Problem[]> {
    try {
      for (const place of places.filter((one) => !this.#all.isInherited(one, this.#owner))) {
        if (this.#all.isReserved(place)) throw new PlaceTaken(place, { code: 'EADDRINUSE' })
        await this.#reserved.open(place)
      }
      return []
    } catch (error) {
      this.#reserved.close()
      if (error instanceof PlaceTaken) return [listenProblem({ who: this.#owner, ...error.place }, error)]
      throw error
    }
  }

  hasReserved(place: Place): boolean {
    return place.address !== everybody && this.#reserved.has(place)
  }

  forgetCopies(): void {
    this.#reserved.forgetCopies()
  }

  /** Nobody has wanted what is left. */
  endReservation(): void {
    this.#reserved.close()
  }

  async listen(address: string, port: number): Promise<Listening> {
    const place: Place = { protocol: 'tcp', address, port }
    return this.#reserved.takeListening(place) ?? this.#all.listen(place, this.#owner)
  }

  async bind(address: string, port: number, isForAll = false): Promise<Datagrams> {
    const place: Place = { protocol: 'udp', address, port }
    const reserved = this.#reserved.takeDatagrams(place)
    if (!reserved) return this.#all.bind(place, isForAll, this.#owner)
    reserved.add(this.#all.takeLeft(place))
    return reserved
  }
}
