import { encodeName } from '../codec/name.ts'
import { WireName } from '../codec/wire-name.ts'
import { WireTable } from '../wire-table.ts'

/** Domains, with everything below them. */
export class NameSet {
  readonly #table = new WireTable<true>()

  constructor(seed: number, domains: Iterable<string>) {
    const cursor = new WireName(seed)
    for (const domain of domains) {
      const wire = encodeName(domain)
      cursor.read(wire, 0, wire.length)
      this.#table.set(wire, cursor.hash, 0, true)
    }
  }

  covers(name: WireName): boolean {
    for (let label = 0; label < name.labelCount; label++) {
      const start = name.labelStarts[label] ?? 0
      if (this.#table.find(name.bytes, start, name.length, name.suffixHashes[label] ?? 0, 0)) return true
    }
    return false
  }
}
