import { type Sighting, Sightings } from '../../../core/trace/sightings.ts'
import { encodeName } from '../codec/name.ts'
import { WireName } from '../codec/wire-name.ts'

/** Which machine asked for which name of the control plane: how far its boot came, as DNS sees it. */
export class AskedNames {
  readonly #seed: number
  readonly #now: () => number
  readonly #sightings = new Sightings()
  /** The names of interest by their hash, which every query has worked out already. */
  #names: ReadonlyMap<number, string> = new Map()

  constructor(seed: number, now: () => number) {
    this.#seed = seed
    this.#now = now
  }

  watch(names: readonly string[]): void {
    const cursor = new WireName(this.#seed)
    this.#names = new Map(
      names.map((name) => {
        const wire = encodeName(name)
        cursor.read(wire, 0, wire.length)
        return [cursor.hash, name]
      }),
    )
  }

  /** Called for every answer of ours, so it costs next to nothing for names that are not watched. */
  note(client: string, nameHash: number): void {
    const name = this.#names.get(nameHash)
    if (name !== undefined) this.#sightings.reached(client, name, this.#now())
  }

  list(): Sighting[] {
    return this.#sightings.list(this.#now())
  }
}
