import { type AddressRange, rangeContains } from '../../../core/net/range.ts'
import { FreeAddresses } from './free-addresses.ts'

/** Which addresses are lent to whoever comes: a range, less what must not be taken from it. */
export interface PoolDefinition {
  readonly range: AddressRange
  /** Ranges inside or outside of `range` that are not part of the pool. */
  readonly holes: readonly AddressRange[]
}

/** The pool, and which of its addresses are free. Addresses are handed out in turn, so a freed one rests longest. */
export class Pool {
  readonly #definition: PoolDefinition
  readonly #members: FreeAddresses
  readonly #free: FreeAddresses
  #next: number

  constructor(definition: PoolDefinition) {
    this.#definition = definition
    this.#next = definition.range.first
    this.#members = new FreeAddresses(definition.range)
    this.#free = new FreeAddresses(definition.range)
    for (const part of rangesWithout(definition.range, definition.holes)) {
      this.#members.addRange(part)
      this.#free.addRange(part)
    }
  }

  get size(): number {
    return this.#members.count
  }

  get freeCount(): number {
    return this.#free.count
  }

  contains(address: number): boolean {
    return this.#members.has(address)
  }

  isFree(address: number): boolean {
    return this.#free.has(address)
  }

  /** Hand out addresses from here on, as the pool before this one would have done. */
  continueAt(address: number): void {
    if (rangeContains(this.#definition.range, address)) this.#next = address
  }

  get next(): number {
    return this.#next
  }

  takeNext(): number | undefined {
    const address = this.#free.atOrAfter(this.#next) ?? this.#free.atOrAfter(this.#definition.range.first)
    if (address === undefined) return undefined
    this.#free.remove(address)
    this.#next = address + 1
    return address
  }

  take(address: number): void {
    this.#free.remove(address)
  }

  giveBack(address: number): void {
    if (this.contains(address)) this.#free.add(address)
  }
}

/** What is left of a range when the holes are cut out of it. */
export function rangesWithout(range: AddressRange, holes: readonly AddressRange[]): AddressRange[] {
  const left: AddressRange[] = []
  let first = range.first
  for (const hole of holes.toSorted((a, b) => a.first - b.first)) {
    if (hole.last < first) continue
    if (hole.first > range.last) break
    if (hole.first > first) left.push({ first, last: hole.first - 1 })
    first = hole.last + 1
  }
  if (first <= range.last) left.push({ first, last: range.last })
  return left
}
