import { bytesEqual } from './codec/bytes.ts'

interface Slot<Value> {
  readonly hash: number
  readonly tag: number
  readonly key: Uint8Array
  value: Value
  next: Slot<Value> | undefined
}

/**
 * A hash table keyed by (name in wire form, tag). A lookup takes the name as a piece of a larger buffer with its hash
 * already known, so it allocates nothing.
 */
export class WireTable<Value> {
  #buckets: (Slot<Value> | undefined)[] = emptyBuckets(64)
  #size = 0
  readonly #longestChain: number

  /** With `longestChain` the table refuses what would make a lookup longer than that: for names that strangers choose. */
  constructor(longestChain = Number.POSITIVE_INFINITY) {
    this.#longestChain = longestChain
  }

  get size(): number {
    return this.#size
  }

  find(bytes: Uint8Array, start: number, end: number, hash: number, tag: number): Value | undefined {
    return this.#slot(bytes, start, end, hash, tag)?.value
  }

  #slot(bytes: Uint8Array, start: number, end: number, hash: number, tag: number): Slot<Value> | undefined {
    const length = end - start
    let slot = this.#buckets[hash & (this.#buckets.length - 1)]
    while (slot !== undefined) {
      if (
        slot.hash === hash &&
        slot.tag === tag &&
        slot.key.length === length &&
        bytesEqual(slot.key, 0, bytes, start, length)
      ) {
        return slot
      }
      slot = slot.next
    }
    return undefined
  }

  /** The table keeps `key`; it must not change afterwards. False: refused, the chain is full. */
  set(key: Uint8Array, hash: number, tag: number, value: Value): boolean {
    const present = this.#slot(key, 0, key.length, hash, tag)
    if (present !== undefined) {
      present.value = value
      return true
    }
    if (this.#size >= this.#buckets.length) this.#grow()
    const index = hash & (this.#buckets.length - 1)
    const head = this.#buckets[index]
    if (chainLength(head) >= this.#longestChain) return false
    this.#buckets[index] = { hash, tag, key, value, next: head }
    this.#size++
    return true
  }

  delete(key: Uint8Array, hash: number, tag: number): void {
    const doomed = this.#slot(key, 0, key.length, hash, tag)
    if (doomed === undefined) return
    const index = hash & (this.#buckets.length - 1)
    let before = this.#buckets[index]
    if (before === doomed) this.#buckets[index] = doomed.next
    else {
      while (before !== undefined && before.next !== doomed) before = before.next
      if (before !== undefined) before.next = doomed.next
    }
    this.#size--
  }

  #grow(): void {
    const old = this.#buckets
    this.#buckets = emptyBuckets(old.length * 2)
    for (const head of old) {
      let slot = head
      while (slot !== undefined) {
        const next = slot.next
        const index = slot.hash & (this.#buckets.length - 1)
        slot.next = this.#buckets[index]
        this.#buckets[index] = slot
        slot = next
      }
    }
  }
}

function chainLength(head: Slot<unknown> | undefined): number {
  let length = 0
  for (let slot = head; slot !== undefined; slot = slot.next) length++
  return length
}

function emptyBuckets<Value>(count: number): (Slot<Value> | undefined)[] {
  return new Array<Slot<Value> | undefined>(count).fill(undefined)
}
