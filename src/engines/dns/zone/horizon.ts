import type { FoundRecord } from '../../../core/dns/names.ts'
import { buildView } from './build.ts'
import { MachineNames } from './machines.ts'
import type { NameTree } from './name-tree.ts'
import type { ViewName, ZoneSource } from './records.ts'

export type HorizonViews = Readonly<Record<ViewName, NameTree>>

/**
 * Both views of all our names. A change of the fixed names builds new views, to be swapped in as a whole; a change of
 * machines touches only what changed, in one go: no query is looked up in between.
 */
export class Horizon {
  readonly #seed: number
  readonly #machines: MachineNames
  #built: { readonly key: string; readonly views: HorizonViews } | undefined
  #serial = 0

  constructor(seed: number) {
    this.#seed = seed
    this.#machines = new MachineNames(seed)
  }

  get machineCount(): number {
    return this.#machines.size
  }

  get views(): HorizonViews | undefined {
    return this.#built?.views
  }

  /** `key` tells whether the fixed names are still the same. `serial` should rise; if it does not, it is made to. */
  update(
    key: string,
    source: (serial: number) => ZoneSource,
    machines: Iterable<FoundRecord>,
    serial: number,
  ): { readonly views: HorizonViews; readonly shadowed: readonly string[] } {
    const { changed, goneCount } = this.#machines.update(machines)
    const built = this.#built?.key === key ? this.#built : undefined
    if (!built || changed.length > 0 || goneCount > 0) this.#serial = Math.max(serial, this.#serial + 1) >>> 0
    const views = built?.views ?? this.#build(source(this.#serial))
    this.#built = { key, views }
    views.vlan.setSerial(this.#serial)
    views.pod.setSerial(this.#serial)
    return { views, shadowed: changed.filter((owner) => views.vlan.shadows(owner)) }
  }

  #build(source: ZoneSource): HorizonViews {
    const view = (name: ViewName) => buildView(source, name, this.#machines, this.#seed)
    return { vlan: view('vlan'), pod: view('pod') }
  }
}
