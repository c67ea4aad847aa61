import { defaultTtlSeconds, type FoundRecord } from '../../../core/dns/names.ts'
import { reverseName } from '../../../core/dns/reverse.ts'
import { parseHostnamePattern } from '../../../core/net/name.ts'
import type { Answer } from '../codec/answer.ts'
import { encodeName } from '../codec/name.ts'
import { recordType } from '../codec/numbers.ts'
import { WireName } from '../codec/wire-name.ts'
import { WireTable } from '../wire-table.ts'
import { ipv4Of, parseAddresses } from './address.ts'
import { addressSets, type RecordSet, recordSet } from './record-set.ts'
import type { ViewName } from './records.ts'

class MachineNode {
  sets: Readonly<Record<ViewName, readonly RecordSet[]>> = { vlan: [], pod: [] }
  /** Names below this one: without records of its own it is an empty non-terminal as long as there are any. */
  namesBelow = 0

  /** Undefined: the name is there, but has nothing of this type. */
  answer(view: ViewName, type: number): Answer | undefined {
    for (const set of this.sets[view]) if (set.type === type) return set.answer
    return undefined
  }

  hasRecords(view: ViewName): boolean {
    return this.sets[view].length > 0
  }
}

/**
 * The names that come and go with machines, and the names of their addresses. They are asked only after the fixed
 * names of a view have nothing to say, so no machine can take the name of another service. A change touches only the
 * machines that changed.
 */
export class MachineNames {
  readonly #table = new WireTable<MachineNode>()
  readonly #cursor: WireName
  /** What was reported for each name, to see what changed. */
  readonly #reported = new Map<string, FoundRecord>()
  /** Who claims an address, in the order of the alphabet. Two may, for a moment; the first has it. */
  readonly #claims = new Map<number, readonly string[]>()

  constructor(seed: number) {
    this.#cursor = new WireName(seed)
  }

  get size(): number {
    return this.#reported.size
  }

  find(name: WireName): MachineNode | undefined {
    return this.#table.find(name.bytes, 0, name.length, name.hash, 0)
  }

  /** These are the machines from now on. The names that are new or different, and how many are gone. */
  update(records: Iterable<FoundRecord>): { readonly changed: string[]; readonly goneCount: number } {
    const seen = new Set<string>()
    const changed: string[] = []
    for (const record of records) {
      const owner = record.hostname.toLowerCase().replace(/\.$/, '')
      if (seen.has(owner)) continue
      seen.add(owner)
      const before = this.#reported.get(owner)
      if (before === undefined && parseHostnamePattern(owner) === undefined) continue
      this.#reported.set(owner, record)
      if (before !== undefined && isSameReport(before, record)) continue
      this.#serve(owner, record, before)
      changed.push(owner)
    }
    const gone = [...this.#reported].filter(([owner]) => !seen.has(owner))
    for (const [owner, record] of gone) this.#remove(owner, record)
    return { changed, goneCount: gone.length }
  }

  #serve(owner: string, record: FoundRecord, before: FoundRecord | undefined): void {
    const vlan = parseAddresses(record.addresses)
    const pod = record.internalAddresses === undefined ? vlan : parseAddresses(record.internalAddresses)
    const vlanSets = addressSets(vlan, defaultTtlSeconds)
    const podSets = pod === vlan ? vlanSets : addressSets(pod, defaultTtlSeconds)
    this.#setRecords(owner, { vlan: vlanSets, pod: podSets })
    this.#claim(owner, numbersOf(before), numbersOf(record))
  }

  #remove(owner: string, record: FoundRecord): void {
    this.#reported.delete(owner)
    this.#setRecords(owner, { vlan: [], pod: [] })
    this.#claim(owner, numbersOf(record), [])
  }

  #claim(owner: string, before: readonly number[], now: readonly number[]): void {
    for (const number of new Set([...before, ...now])) {
      const others = (this.#claims.get(number) ?? []).filter((claimant) => claimant !== owner)
      const claimants = now.includes(number) ? [...others, owner].sort() : others
      if (claimants.length > 0) this.#claims.set(number, claimants)
      else this.#claims.delete(number)
      this.#namePointer(number, claimants[0])
    }
  }

  #namePointer(number: number, owner: string | undefined): void {
    const sets = owner === undefined ? [] : [recordSet(recordType.PTR, defaultTtlSeconds, [encodeName(owner)])]
    this.#setRecords(reverseName(number), { vlan: sets, pod: sets })
  }

  #setRecords(owner: string, sets: MachineNode['sets']): void {
    const wire = encodeName(owner)
    this.#cursor.read(wire, 0, wire.length)
    const had = this.#nodeAt(0)
    const hadRecords = had !== undefined && (had.hasRecords('vlan') || had.hasRecords('pod'))
    const hasRecords = sets.vlan.length > 0 || sets.pod.length > 0
    if (had !== undefined || hasRecords) (had ?? this.#create(0)).sets = sets
    if (hasRecords !== hadRecords) this.#countBelow(hasRecords ? 1 : -1)
    this.#dropIfEmpty(0)
  }

  /** Tells each name above the cursor's that there is one more, or one less, below it. */
  #countBelow(difference: 1 | -1): void {
    for (let label = 1; label < this.#cursor.labelCount; label++) {
      const above = this.#nodeAt(label) ?? this.#create(label)
      above.namesBelow += difference
      this.#dropIfEmpty(label)
    }
  }

  #dropIfEmpty(label: number): void {
    const node = this.#nodeAt(label)
    if (node === undefined || node.namesBelow > 0 || node.hasRecords('vlan') || node.hasRecords('pod')) return
    this.#table.delete(this.#key(label), this.#cursor.suffixHashes[label] ?? 0, 0)
  }

  #create(label: number): MachineNode {
    const node = new MachineNode()
    this.#table.set(this.#key(label), this.#cursor.suffixHashes[label] ?? 0, 0, node)
    return node
  }

  #nodeAt(label: number): MachineNode | undefined {
    const { bytes, labelStarts, length, suffixHashes } = this.#cursor
    return this.#table.find(bytes, labelStarts[label] ?? 0, length, suffixHashes[label] ?? 0, 0)
  }

  #key(label: number): Uint8Array {
    return this.#cursor.bytes.slice(this.#cursor.labelStarts[label] ?? 0, this.#cursor.length)
  }
}

function isSameReport(a: FoundRecord, b: FoundRecord): boolean {
  return a.addresses.join() === b.addresses.join() && a.internalAddresses?.join() === b.internalAddresses?.join()
}

/** The addresses on the VLAN, as numbers: those that get a name. */
function numbersOf(record: FoundRecord | undefined): number[] {
  return parseAddresses(record?.addresses ?? [])
    .map(ipv4Of)
    .filter((number) => number !== undefined)
}
