import { everybody, type Place, placeText } from '../../core/places/place.ts'
import { bindTo, type OwnDatagrams } from './datagrams.ts'
import { listenOn } from './listening.ts'
import type { Listening } from './sockets.ts'

/** Why a place could not be had. */
export class PlaceTaken extends Error {
  readonly place: Place
  readonly code: unknown

  constructor(place: Place, cause: unknown) {
    super(cause instanceof Error ? cause.message : 'it is taken', { cause })
    this.place = place
    this.code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  }
}

/** Places that are bound before the engines are there that serve them. */
export class ReservedPlaces {
  readonly #listening = new Map<string, Listening>()
  readonly #datagrams = new Map<string, OwnDatagrams>()

  async open(place: Place): Promise<void> {
    const { protocol, address, port } = place
    const key = placeText(place)
    const way = { address, port, sharing: address === everybody ? ('address' as const) : ('port' as const) }
    try {
      if (protocol === 'tcp') this.#listening.set(key, await listenOn(way))
      else this.#datagrams.set(key, await bindTo(way))
    } catch (error) {
      throw new PlaceTaken(place, error)
    }
  }

  has(place: Place): boolean {
    const key = placeText(place)
    return this.#listening.has(key) || this.#datagrams.has(key)
  }

  takeListening(place: Place): Listening | undefined {
    return take(this.#listening, place)
  }

  takeDatagrams(place: Place): OwnDatagrams | undefined {
    return take(this.#datagrams, place)
  }

  /** Of what everybody hears each process has a copy. Until it is asked to stop, the other one answers. */
  forgetCopies(): void {
    for (const datagrams of this.#datagrams.values()) datagrams.forgetCopies()
  }

  close(): void {
    for (const one of [...this.#listening.values(), ...this.#datagrams.values()]) one.close()
    this.#listening.clear()
    this.#datagrams.clear()
  }
}

function take<Value>(from: Map<string, Value>, place: Place): Value | undefined {
  const key = placeText(place)
  const found = from.get(key)
  from.delete(key)
  return found
}
