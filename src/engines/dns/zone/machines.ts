import { parseHostnamePattern } from '../../../core/net/name.ts'
import type { Answer } from '../codec/answer.ts'
import { encodeName } from '../codec/name.ts'
import { recordType } from '../codec/numbers.ts'
import { WireName } from '../codec/wire-name.ts'
import { WireTable } from '../wire-table.ts'
import { ipv4Of, parseAddresses } from './address.ts'
import { defaultTtlSeconds } from './authority.ts'
import { addressSets, type RecordSet, recordSet } from './record-set.ts'
import type { ViewName } from './records.ts'
import { reverseName } from './reverse.ts'

/** A machine as it is reported: its name and its addresses, on the VLAN and (if they differ) on the pod network. */
export interface MachineRecord {
  readonly hostname: string
  readonly addresses: readonly string[]
  readonly internalAddresses?: readonly string[] | undefined
}

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
  readonly #reported = new Map<string, string>()
  readonly #numbersOf = new Map<string, readonly number[]>()
  /** Who claims an address. Two may, for a moment; the first in the alphabet has it. */
  readonly #claims = new Map<number, Set<string>>()

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
  update(records: Iterable<MachineRecord>): { readonly changed: string[]; readonly goneCount: number } {
    const seen = new Set<string>()
    const changed: string[] = []
    for (const record of records) {
      const owner = record.hostname.toLowerCase().replace(/\.$/, '')
      const report = `${record.addresses.join()} ${record.internalAddresses?.join() ?? ''}`
      if (seen.has(owner)) continue
      seen.add(owner)
      if (this.#reported.get(owner) === report || parseHostnamePattern(owner) === undefined) continue
      this.#reported.set(owner, report)
      this.#serve(owner, record)
      changed.push(owner)
    }
    const gone = [...this.#reported.keys()].filter((owner) => !seen.has(owner))
    for (const owner of gone) this.#remove(owner)
    return { changed, goneCount: gone.length }
  }

  #serve(owner: string, record: MachineRecord): void {
    const vlan = parseAddresses(record.addresses)
    const pod = record.internalAddresses === undefined ? vlan : parseAddresses(record.internalAddresses)
    const vlanSets = addressSets(vlan, defaultTtlSeconds)
    const podSets = pod === vlan ? vlanSets : addressSets(pod, defaultTtlSeconds)
    this.#setRecords(owner, { vlan: vlanSets, pod: podSets })
    this.#claim(
      owner,
      vlan.map(ipv4Of).filter((number) => number !== undefined),
    )
  }

  #remove(owner: string): void {
    this.#reported.delete(owner)
    this.#setRecords(owner, { vlan: [], pod: [] })
    this.#claim(owner, [])
    this.#numbersOf.delete(owner)
  }

  #claim(owner: string, numbers: readonly number[]): void {
    const before = this.#numbersOf.get(owner) ?? []
    this.#numbersOf.set(owner, numbers)
    for (const number of before) this.#claims.get(number)?.delete(owner)
    for (const number of numbers) {
      const claimants = this.#claims.get(number) ?? new Set()
      this.#claims.set(number, claimants.add(owner))
    }
    for (const number of new Set([...before, ...numbers])) this.#namePointer(number)
  }

  #namePointer(number: number): void {
    const [first] = [...(this.#claims.get(number) ?? [])].sort()
    if (first === undefined) this.#claims.delete(number)
    const sets = first === undefined ? [] : [recordSet(recordType.PTR, defaultTtlSeconds, [encodeName(first)])]
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
