import { isHostAddress } from '../../../core/net/cidr.ts'
import type { DhcpSettings } from '../protocol/settings.ts'
import { evicted } from './eviction.ts'
import type { Lease } from './lease.ts'
import { LeaseTable } from './lease-table.ts'
import { type Offer, Offers } from './offers.ts'
import { Pool } from './pool.ts'

/** How long an offered address is kept for the client (RFC 2131 section 3.1 step 2). */
const offerHoldMs = 60_000
/** A flood of invented clients cannot make more offers than this; the oldest gives way. */
const maximumOffers = 4096
/** Bounds memory in a pool of millions; beyond it remembered leases give way, then new clients are refused. */
const maximumLeases = 262_144

/** Leases, offers and the pool, kept in step: an address is free exactly when it is in the pool and in neither. */
export class Bindings {
  readonly #table = new LeaseTable()
  readonly #offers = new Offers()
  #pool: Pool
  #settings: DhcpSettings

  constructor(settings: DhcpSettings, leases: readonly Lease[] = []) {
    this.#settings = settings
    for (const lease of leases) this.#table.put(lease)
    this.#pool = new Pool(settings.pool)
    this.configure(settings)
  }

  /** Leases stay as they are; offers outside the new pool are forgotten. */
  configure(settings: DhcpSettings): void {
    const pool = new Pool(settings.pool)
    pool.continueAt(this.#pool.next)
    this.#settings = settings
    this.#pool = pool
    for (const lease of this.#table.all()) pool.take(lease.address)
    for (const offer of this.#offers.all()) {
      if (pool.contains(offer.address)) pool.take(offer.address)
      else this.#withdraw(offer)
    }
  }

  leases(): Lease[] {
    return this.#table.all()
  }

  leaseOf(mac: string): Lease | undefined {
    return this.#table.ofClient(mac)
  }

  leaseAt(address: number): Lease | undefined {
    return this.#table.at(address)
  }

  offerTo(mac: string): number | undefined {
    return this.#offers.to(mac)?.address
  }

  /** The one address this client is meant to use: its reservation, else the lease it holds. */
  expectedAddress(mac: string): number | undefined {
    const reserved = this.#settings.clients.get(mac)?.reservedAddress
    if (reserved !== undefined && this.mayLend(mac, reserved)) return reserved
    const lease = this.#table.ofClient(mac)
    return lease?.state === 'Active' && this.mayLend(mac, lease.address) ? lease.address : undefined
  }

  /**
   * May this client have this address now? A lease in force goes on even where the pool was shrunk from under it, as
   * long as nobody else has a claim to the address.
   */
  mayLend(mac: string, address: number): boolean {
    if (!isHostAddress(this.#settings.cidr, address) || this.isClaimedByOther(mac, address)) return false
    const lease = this.#table.at(address)
    const holds = lease?.mac === mac && lease.state === 'Active'
    return holds || this.#pool.contains(address) || this.#settings.reservedFor.has(address)
  }

  isClaimedByOther(mac: string, address: number): boolean {
    if (this.#settings.infrastructure.has(address)) return true
    if (this.#settings.reservedFor.get(address)?.includes(mac) === false) return true
    const lease = this.#table.at(address)
    const offer = this.#offers.of(address)
    if (lease?.state === 'Active') return lease.mac !== mac
    if (lease?.state === 'Declined') return offer?.mac !== mac
    return offer !== undefined && offer.mac !== mac && !offer.contended
  }

  /** An address to offer (RFC 2131 section 4.3.1): the expected, the same as last time, the wished for, any. */
  offer(mac: string, wished: number | undefined, nowMs: number): number | undefined {
    const before = this.#offers.to(mac)
    const expected = this.expectedAddress(mac)
    if (expected !== undefined) {
      if (before !== undefined) this.#withdraw(before)
      return expected
    }
    if (before !== undefined) {
      this.#offers.renew(before, nowMs + offerHoldMs)
      return before.address
    }
    const remembered = this.#table.ofClient(mac)?.address
    if (remembered !== undefined && this.#offers.of(remembered) === undefined && this.mayLend(mac, remembered)) {
      return this.#hold(mac, remembered, nowMs, { unused: true })
    }
    if (wished !== undefined && this.#pool.isFree(wished)) return this.#hold(mac, wished, nowMs)
    return this.#offerAny(mac, nowMs)
  }

  withdrawOffer(mac: string): void {
    const offer = this.#offers.to(mac)
    if (offer !== undefined) this.#withdraw(offer)
  }

  /** Could somebody without a lease be using the address on offer? The client that had it last would know. */
  mayBeUsed(address: number): boolean {
    return this.#offers.of(address)?.unused === false
  }

  /** Somebody looked, and nobody was there. */
  noteUnused(address: number): void {
    const offer = this.#offers.of(address)
    if (offer !== undefined) offer.unused = true
  }

  /** Take a lease in, whatever its state. Returns leases that are no more because of it. */
  put(lease: Omit<Lease, 'sequence'>): { readonly lease: Lease; readonly displaced: readonly Lease[] } {
    this.withdrawOffer(lease.mac)
    const rival = this.#offers.of(lease.address)
    if (rival !== undefined) this.#withdraw(rival)
    const numbered = { ...lease, sequence: this.#table.nextSequence() }
    const replaced = this.#table.put(numbered)
    this.#pool.take(lease.address)
    for (const { address } of replaced) this.#giveBack(address)
    return { lease: numbered, displaced: replaced.filter((old) => !isSameBinding(old, numbered)) }
  }

  /** End whatever is known of an address. Undefined if nothing is. */
  evict(address: number, nowMs: number): Lease | undefined {
    const lease = this.#table.at(address)
    if (lease === undefined) return undefined
    const ended = this.put(evicted(lease, nowMs)).lease
    if (ended.state === 'Declined') {
      this.#table.forget(address)
      this.#giveBack(address)
    }
    return ended
  }

  /** Let time pass. Returns leases that ran out, and declined addresses whose quarantine is over. */
  sweep(nowMs: number): readonly Lease[] {
    for (let oldest = this.#offers.oldest; oldest !== undefined; oldest = this.#offers.oldest) {
      if (oldest.expiresMs > nowMs) break
      this.#withdraw(oldest)
    }
    const ended = this.#table.sweep(nowMs)
    for (const lease of ended) this.#giveBack(lease.address)
    return ended
  }

  shiftTimes(byMs: number): void {
    this.#table.shiftTimes(byMs)
    this.#offers.shiftTimes(byMs)
  }

  /** Leases in force that the settings have moved away from. */
  misplaced(): Misplaced {
    const active = this.#table.all().filter((lease) => lease.state === 'Active')
    const [kept, orphaned] = [true, false].map((wanted) =>
      active.filter((lease) => this.mayLend(lease.mac, lease.address) === wanted),
    )
    const isPlaced = ({ address }: Lease) => this.#pool.contains(address) || this.#settings.reservedFor.has(address)
    return { outsideRange: (kept ?? []).filter((lease) => !isPlaced(lease)), orphaned: orphaned ?? [] }
  }

  declined(): Lease[] {
    return this.#table.all().filter((lease) => lease.state === 'Declined')
  }

  get declinedCount(): number {
    return this.#table.declinedCount
  }

  counts(): BindingCounts {
    const inPool = this.#table.all().filter((lease) => this.#pool.contains(lease.address))
    return {
      active: this.#table.activeCount,
      offered: this.#offers.count,
      expired: this.#table.idleCount,
      declined: this.#table.declinedCount,
      poolSize: this.#pool.size,
      poolUsed: inPool.filter((lease) => lease.state === 'Active' || lease.state === 'Declined').length,
    }
  }

  #offerAny(mac: string, nowMs: number): number | undefined {
    const fresh = this.#table.size < maximumLeases ? this.#pool.takeNext() : undefined
    const address = fresh ?? this.#longestIdle() ?? this.#longestDeclined(mac)
    if (address !== undefined) return this.#hold(mac, address, nowMs)
    const oldest = this.#offers.oldest
    if (oldest === undefined) return undefined
    this.#withdraw(oldest)
    return this.#hold(mac, oldest.address, nowMs, { contended: true, unused: oldest.unused })
  }

  #longestIdle(): number | undefined {
    for (let lease = this.#table.longestIdle; lease !== undefined; lease = this.#table.longestIdle) {
      if (this.#pool.contains(lease.address)) return lease.address
      this.#table.forget(lease.address)
    }
    return undefined
  }

  /** With nothing else left, the address set aside longest is tried again, so that declines cannot eat the pool up. */
  #longestDeclined(mac: string): number | undefined {
    const lease = this.#table.longestDeclined
    return lease !== undefined && lease.mac !== mac && this.#pool.contains(lease.address) ? lease.address : undefined
  }

  #hold(
    mac: string,
    address: number,
    nowMs: number,
    { contended = false, unused = false }: { readonly contended?: boolean; readonly unused?: boolean } = {},
  ): number {
    this.#pool.take(address)
    this.#table.setAside(address)
    this.#offers.add({ mac, address, expiresMs: nowMs + offerHoldMs, contended, unused })
    const oldest = this.#offers.oldest
    if (this.#offers.count > maximumOffers && oldest !== undefined) this.#withdraw(oldest)
    return address
  }

  #withdraw(offer: Offer): void {
    this.#offers.remove(offer)
    this.#table.putBack(offer.address)
    this.#giveBack(offer.address)
  }

  #giveBack(address: number): void {
    const isKept = this.#table.at(address) !== undefined || this.#offers.of(address) !== undefined
    if (!isKept) this.#pool.giveBack(address)
  }
}

export interface BindingCounts {
  readonly active: number
  readonly offered: number
  readonly expired: number
  readonly declined: number
  readonly poolSize: number
  /** Addresses of the pool that nobody new can have. */
  readonly poolUsed: number
}

export interface Misplaced {
  /** The client goes on with its address. */
  readonly outsideRange: readonly Lease[]
  /** The client is told no when it next asks. */
  readonly orphaned: readonly Lease[]
}

function isSameBinding(a: Lease, b: Lease): boolean {
  return a.address === b.address && a.mac === b.mac
}
