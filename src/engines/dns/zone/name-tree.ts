import { type Answer, anyOfOurs } from '../codec/answer.ts'
import { encodeName } from '../codec/name.ts'
import { recordType } from '../codec/numbers.ts'
import { WireName } from '../codec/wire-name.ts'
import { WireTable } from '../wire-table.ts'
import { type Authority, type AuthoritySource, createAuthority } from './authority.ts'
import type { MachineNames } from './machines.ts'
import type { RecordSet } from './record-set.ts'
import type { ViewName } from './records.ts'

/** One name and what it answers. */
export class NameNode {
  readonly authority: Authority
  /** Inside a zone of ours, names that are not there do not exist; outside, only what was named is ours. */
  readonly inZone: boolean
  /** False for the parent of a wildcard outside our zones: the name itself belongs to somebody else. */
  exists: boolean
  /** `*` below this name (RFC 4592). */
  wildcard: NameNode | undefined
  sets: readonly RecordSet[]
  /** Named by somebody. Otherwise it is there because of a zone or of names below it, and a machine may have it. */
  claimed: boolean
  /** Said instead of everything, when the records cannot be known at the moment. */
  failure: Answer | undefined

  constructor(authority: Authority, inZone: boolean, exists: boolean) {
    this.authority = authority
    this.inZone = inZone
    this.exists = exists
    this.wildcard = undefined
    this.sets = []
    this.claimed = false
    this.failure = undefined
  }

  /** Undefined: nothing of this type here. */
  find(type: number): Answer | undefined {
    if (this.failure !== undefined) return this.failure
    for (const set of this.sets) if (set.type === type) return set.answer
    return type === recordType.ANY && this.sets.length > 0 ? anyOfOurs : undefined
  }
}

/**
 * The names of one view. Lookup follows RFC 4592 section 3.3.1: the name itself, else the wildcard of its closest
 * encloser, else a machine, else "no such name". It allocates nothing and takes one table lookup per label and one more.
 */
export class NameTree {
  readonly #table = new WireTable<NameNode>()
  readonly #source: AuthoritySource
  readonly #cursor: WireName
  readonly #view: ViewName
  readonly #machines: MachineNames
  readonly #authorities: Authority[] = []

  /** `seed` is the one of the queries that will be looked up, and of the machines' names. */
  constructor(seed: number, view: ViewName, machines: MachineNames, source: AuthoritySource) {
    this.#cursor = new WireName(seed)
    this.#view = view
    this.#machines = machines
    this.#source = source
  }

  /** Every name there is, with the empty ones between an apex and the names below it. */
  get size(): number {
    return this.#table.size
  }

  /** Undefined: not ours. */
  lookup(name: WireName, type: number): Answer | undefined {
    for (let label = 0; label < name.labelCount; label++) {
      const node = this.#nodeAt(name, label)
      if (node === undefined) continue
      if (label === 0) {
        if (node.exists) return this.#exactAnswer(node, name, type)
        continue
      }
      if (node.wildcard !== undefined) return node.wildcard.find(type) ?? node.authority.noData
      if (node.inZone) return this.#machineAnswer(name, type, node.authority) ?? node.authority.noSuchName
      if (node.exists) return undefined
    }
    return undefined
  }

  #exactAnswer(node: NameNode, name: WireName, type: number): Answer {
    const own = node.find(type)
    if (own !== undefined) return own
    const machine = node.claimed ? undefined : this.#machineAnswer(name, type, node.authority)
    return machine ?? node.authority.noData
  }

  #machineAnswer(name: WireName, type: number, authority: Authority): Answer | undefined {
    const machine = this.#machines.find(name)
    if (machine === undefined) return undefined
    if (type === recordType.ANY && machine.hasRecords(this.#view)) return anyOfOurs
    return machine.answer(this.#view, type) ?? authority.noData
  }

  setSerial(serial: number): void {
    for (const authority of this.#authorities) authority.setSerial(serial)
  }

  /** Is this very name there with records of its own? */
  has(owner: string): boolean {
    return this.#nodeAt(this.#read(owner), 0)?.claimed ?? false
  }

  /** Would a machine of this name go unheard, because the name or a wildcard above it is taken? */
  shadows(owner: string): boolean {
    const name = this.#read(owner)
    for (let label = 0; label < name.labelCount; label++) {
      const node = this.#nodeAt(name, label)
      if (node?.exists && label === 0) return node.claimed
      if (node?.wildcard !== undefined) return true
      if (node?.exists) return false
    }
    return false
  }

  /** All zones come before the names in them, parents before children. */
  addZone(apex: string, source: AuthoritySource = this.#source): void {
    const wire = encodeName(apex)
    const authority = this.#authority(wire, source)
    this.#addEmptyParents(this.#read(apex))
    const node = new NameNode(authority, true, true)
    node.sets = authority.apexSets
    const name = this.#read(apex)
    this.#table.set(wire, name.hash, 0, node)
  }

  /** Adds records to a name, making the name if need be; a leading `*` label makes it a wildcard. */
  add(owner: string, sets: readonly RecordSet[]): NameNode {
    const node = this.#ensure(owner)
    node.claimed = true
    const added = new Set(sets.map((set) => set.type))
    node.sets = [...node.sets.filter((set) => !added.has(set.type)), ...sets]
    return node
  }

  #ensure(owner: string): NameNode {
    const name = this.#read(owner)
    const present = this.#nodeAt(name, 0)
    if (present?.exists) return present
    const wire = encodeName(owner)
    const hash = name.hash
    const zone = this.#addEmptyParents(name)
    const node = zone ? new NameNode(zone, true, true) : this.#override(owner, wire)
    node.wildcard = present?.wildcard
    this.#table.set(wire, hash, 0, node)
    if (owner.startsWith('*.')) this.#parentOfWildcard(owner, node).wildcard = node
    return node
  }

  /**
   * Inside a zone, each name between the apex and the new one exists too, if only as an empty non-terminal
   * (RFC 4592 section 2.2.2). The authority of the zone, or undefined outside all zones.
   */
  #addEmptyParents(name: WireName): Authority | undefined {
    for (let label = 1; label < name.labelCount; label++) {
      const above = this.#nodeAt(name, label)
      if (!above?.inZone) continue
      for (let between = 1; between < label; between++) {
        const start = name.labelStarts[between] ?? 0
        const node = new NameNode(above.authority, true, true)
        this.#table.set(name.bytes.slice(start, name.length), name.suffixHashes[between] ?? 0, 0, node)
      }
      return above.authority
    }
    return undefined
  }

  /** A name outside our zones is a zone of its own without anything below it. */
  #override(owner: string, wire: Uint8Array): NameNode {
    if (owner.startsWith('*.')) return new NameNode(this.#authority(encodeName(owner.slice(2))), false, true)
    const authority = this.#authority(wire)
    const node = new NameNode(authority, false, true)
    node.sets = authority.apexSets
    return node
  }

  #authority(apex: Uint8Array, source = this.#source): Authority {
    const authority = createAuthority(apex, source)
    this.#authorities.push(authority)
    return authority
  }

  #parentOfWildcard(owner: string, wildcard: NameNode): NameNode {
    const name = this.#read(owner)
    const present = this.#nodeAt(name, 1)
    if (present !== undefined) return present
    const parent = new NameNode(wildcard.authority, false, false)
    this.#table.set(encodeName(owner.slice(2)), name.suffixHashes[1] ?? 0, 0, parent)
    return parent
  }

  #nodeAt(name: WireName, label: number): NameNode | undefined {
    return this.#table.find(name.bytes, name.labelStarts[label] ?? 0, name.length, name.suffixHashes[label] ?? 0, 0)
  }

  #read(owner: string): WireName {
    const wire = encodeName(owner)
    this.#cursor.read(wire, 0, wire.length)
    return this.#cursor
  }
}
