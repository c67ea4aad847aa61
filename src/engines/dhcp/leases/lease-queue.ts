import type { Lease } from './lease.ts'

/** A lease with its place in the queue that it waits in. */
export interface QueuedLease {
  lease: Lease
  queue: LeaseQueue | undefined
  position: number
}

/** Leases ordered by when they end: a binary heap whose members know their place, so any one can leave it. */
export class LeaseQueue {
  readonly #heap: QueuedLease[] = []

  get size(): number {
    return this.#heap.length
  }

  /** The one that ends, or ended, first. */
  get first(): QueuedLease | undefined {
    return this.#heap[0]
  }

  add(member: QueuedLease): void {
    member.queue = this
    this.#heap.push(member)
    this.#rise(member, this.#heap.length - 1)
  }

  remove(member: QueuedLease): void {
    const last = this.#heap.pop()
    if (last !== undefined && last !== member) {
      this.#rise(last, member.position)
      this.#sink(last, last.position)
    }
    member.queue = undefined
  }

  #rise(member: QueuedLease, from: number): void {
    let position = from
    while (position > 0) {
      const parentPosition = (position - 1) >>> 1
      const parent = this.#heap[parentPosition]
      if (parent === undefined || parent.lease.expiresMs <= member.lease.expiresMs) break
      this.#place(parent, position)
      position = parentPosition
    }
    this.#place(member, position)
  }

  #sink(member: QueuedLease, from: number): void {
    let position = from
    for (;;) {
      const left = this.#heap[2 * position + 1]
      const right = this.#heap[2 * position + 2]
      const earlier = right && left && right.lease.expiresMs < left.lease.expiresMs ? right : left
      if (earlier === undefined || earlier.lease.expiresMs >= member.lease.expiresMs) break
      const freed = earlier.position
      this.#place(earlier, position)
      position = freed
    }
    this.#place(member, position)
  }

  #place(member: QueuedLease, position: number): void {
    this.#heap[position] = member
    member.position = position
  }
}
