import type { Lease } from './lease.ts'
import { LeaseQueue, type QueuedLease } from './lease-queue.ts'

/**
 * All leases that are known, by address and by client. A client has one lease at most (a declined address is nobody's),
 * an address has one: `put` makes it so. Reading a journal is putting its records here in order.
 */
export class LeaseTable {
  readonly #byAddress = new Map<number, QueuedLease>()
  readonly #byClient = new Map<string, QueuedLease>()
  readonly #active = new LeaseQueue()
  readonly #declined = new LeaseQueue()
  readonly #idle = new LeaseQueue()
  #sequence = 0

  get size(): number {
    return this.#byAddress.size
  }

  get activeCount(): number {
    return this.#active.size
  }

  get declinedCount(): number {
    return this.#declined.size
  }

  get idleCount(): number {
    return this.#byAddress.size - this.#active.size - this.#declined.size
  }

  nextSequence(): number {
    return ++this.#sequence
  }

  at(address: number): Lease | undefined {
    return this.#byAddress.get(address)?.lease
  }

  ofClient(mac: string): Lease | undefined {
    return this.#byClient.get(mac)?.lease
  }

  all(): Lease[] {
    return Array.from(this.#byAddress.values(), (member) => member.lease)
  }

  /** Take the lease in. Returns what it replaced: the lease at its address, and another one of its client. */
  put(lease: Lease): Lease[] {
    const displaced: Lease[] = []
    const there = this.forget(lease.address)
    if (there !== undefined) displaced.push(there)
    const other = lease.state === 'Declined' ? undefined : this.ofClient(lease.mac)
    if (other !== undefined) {
      this.forget(other.address)
      displaced.push(other)
    }
    const member: QueuedLease = { lease, queue: undefined, position: 0 }
    this.#byAddress.set(lease.address, member)
    if (lease.state !== 'Declined') this.#byClient.set(lease.mac, member)
    this.#queueFor(lease).add(member)
    if (lease.sequence > this.#sequence) this.#sequence = lease.sequence
    return displaced
  }

  forget(address: number): Lease | undefined {
    const member = this.#byAddress.get(address)
    if (member === undefined) return undefined
    this.#byAddress.delete(address)
    if (this.#byClient.get(member.lease.mac) === member) this.#byClient.delete(member.lease.mac)
    member.queue?.remove(member)
    return member.lease
  }

  /** The lease that has been over for the longest time and that nobody has been offered. */
  get longestIdle(): Lease | undefined {
    return this.#idle.first?.lease
  }

  get longestDeclined(): Lease | undefined {
    return this.#declined.first?.lease
  }

  /** While an idle or declined address is on offer it is not the next one to be taken. */
  setAside(address: number): void {
    const member = this.#byAddress.get(address)
    if (member?.queue !== undefined && member.queue !== this.#active) member.queue.remove(member)
  }

  putBack(address: number): void {
    const member = this.#byAddress.get(address)
    if (member !== undefined && member.queue === undefined) this.#queueFor(member.lease).add(member)
  }

  /** Leases whose time is up become Expired, declined addresses are forgotten. Returns them as they are now. */
  sweep(nowMs: number): Lease[] {
    const changed: Lease[] = []
    for (let due = dueIn(this.#active, nowMs); due !== undefined; due = dueIn(this.#active, nowMs)) {
      this.#active.remove(due)
      due.lease = { ...due.lease, state: 'Expired' }
      this.#idle.add(due)
      changed.push(due.lease)
    }
    for (let due = dueIn(this.#declined, nowMs); due !== undefined; due = dueIn(this.#declined, nowMs)) {
      this.forget(due.lease.address)
      changed.push(due.lease)
    }
    return changed
  }

  /** The wall clock was set: what ends in an hour still does. Order in the queues is unchanged by a common shift. */
  shiftTimes(byMs: number): void {
    for (const member of this.#byAddress.values()) {
      const { startMs, expiresMs } = member.lease
      member.lease = { ...member.lease, startMs: startMs + byMs, expiresMs: expiresMs + byMs }
    }
  }

  #queueFor(lease: Lease): LeaseQueue {
    if (lease.state === 'Active') return this.#active
    return lease.state === 'Declined' ? this.#declined : this.#idle
  }
}

function dueIn(queue: LeaseQueue, nowMs: number): QueuedLease | undefined {
  const first = queue.first
  return first !== undefined && first.lease.expiresMs <= nowMs ? first : undefined
}
