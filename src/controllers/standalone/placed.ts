import { parseCidr } from '../../core/net/cidr.ts'
import type { Problem } from '../../core/result.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import { Turns } from '../../runtime/time/turns.ts'
import { AddedAddresses } from './added-addresses.ts'
import { findMissing, readHostAddresses } from './addresses.ts'
import type { Served } from './serve.ts'
import type { ComponentReport } from './slot.ts'

/** Where one component wants to be. */
interface Place {
  readonly addresses: readonly string[]
  /** Undefined where its kind does not say: then it gets its address alone. */
  readonly cidr: string | undefined
}

interface PlacedOptions<Resource> {
  readonly placeOf: (resource: Resource) => Place
  readonly interfaceName: string | undefined
  readonly mayAdd: boolean
  readonly log: Logger
}

/** One engine, on addresses that are looked for on an interface first, added where they may be, and taken away at the end. */
export class PlacedEngine<Resource> implements Served<Resource> {
  readonly #served: Served<Resource>
  readonly #options: PlacedOptions<Resource>
  readonly #added: AddedAddresses
  /** The newest version, until it was given to the engine. */
  #waiting: Resource | undefined
  #lost: readonly Problem[] = []
  readonly #turns = new Turns()

  constructor(served: Served<Resource>, options: PlacedOptions<Resource>) {
    this.#served = served
    this.#options = options
    this.#added = new AddedAddresses(options)
  }

  async apply(resource: Resource): Promise<readonly Problem[]> {
    this.#waiting = resource
    return this.retry()
  }

  /** One after the other: whoever stops it in the middle finds noted what was added. */
  retry(): Promise<readonly Problem[]> {
    return this.#turns.take(() => this.#place())
  }

  async #place(): Promise<readonly Problem[]> {
    const resource = this.#waiting
    if (resource === undefined) return this.#served.retry()
    this.#lost = await this.#prepare(resource)
    if (this.#lost.length > 0) return this.#lost
    this.#waiting = undefined
    return this.#served.apply(resource)
  }

  refuse(problems: readonly Problem[]): void {
    this.#served.refuse(problems)
  }

  reports(): readonly ComponentReport[] {
    return this.#served.reports()
  }

  get problems(): readonly Problem[] {
    return [...this.#lost, ...this.#served.problems]
  }

  stop(graceMs: number): Promise<void> {
    return this.#turns.take(async () => {
      await this.#served.stop(graceMs)
      await this.#added.remove()
    })
  }

  async #prepare(resource: Resource): Promise<readonly Problem[]> {
    const { placeOf, interfaceName } = this.#options
    const { addresses, cidr } = placeOf(resource)
    const vlan = parseCidr(cidr ?? `${addresses[0]}/32`)
    return vlan ? this.#added.add(findMissing({ addresses, vlan, interfaceName }, readHostAddresses())) : []
  }
}
