import type { LeaseRecord } from '../../engines/dhcp/leases/lease-record.ts'
import { fingerprint } from '../../runtime/apply/fingerprint.ts'
import { TokenBuckets } from '../../runtime/events/bucket.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import { Backoff } from '../../runtime/time/backoff.ts'
import { type Clock, sleep } from '../../runtime/time/clock.ts'

interface LeaseWritesOptions {
  /** `again` at once, `later` after a pause, `never` until it changes. */
  readonly write: (record: LeaseRecord, signal: AbortSignal) => Promise<'done' | 'again' | 'later' | 'never'>
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
}

interface Waiting {
  readonly record: LeaseRecord
  readonly sinceMs: number
  /** A new holder: its client may be waiting. */
  readonly isUrgent: boolean
  readonly done: (() => void)[]
}

/** A client is kept waiting this long at most. */
const longestWaitMs = 100
/** With more than this before it, waiting would be in vain. */
const worthWaitingFor = 16
const parallel = 4
/** A rack that boots may write many at once; then as many as an API server does not notice. */
const rate = { burst: 100, refillMs: 20 }
const backoff = { firstMs: 500, longestMs: 30_000, resetAfterMs: 60_000 }

/**
 * Which leases still have to be written, one write per address at a time and never an older state after a newer one.
 * New holders go first. While writing fails nobody is made to wait, and everything is caught up with afterwards.
 */
export class LeaseWrites {
  readonly #options: LeaseWritesOptions
  readonly #buckets: TokenBuckets
  readonly #backoff: Backoff
  readonly #stop = new AbortController()
  readonly #written = new Map<string, LeaseRecord>()
  readonly #waiting = new Map<string, Waiting>()
  readonly #inFlight = new Map<string, Waiting>()
  readonly stats = { done: 0, failed: 0 }
  #isHealthy = true
  #isPaused = false
  #onEmpty: (() => void) | undefined

  constructor(options: LeaseWritesOptions) {
    this.#options = options
    this.#buckets = new TokenBuckets(rate, options.clock)
    this.#backoff = new Backoff(backoff, options.clock, options.random)
  }

  /** Leases that are not written yet. */
  get pending(): number {
    return this.#waiting.size + this.#inFlight.size
  }

  /** How long the oldest of them has been waiting. */
  lagMs(): number {
    const since = [...this.#waiting.values(), ...this.#inFlight.values()].map(({ sinceMs }) => sinceMs)
    return since.length === 0 ? 0 : this.#options.clock.elapsed() - Math.min(...since)
  }

  /** This one is there already. */
  isWritten(record: LeaseRecord): void {
    this.#written.set(record.address, record)
  }

  /** Write all once more. */
  again(): void {
    const records = [...this.#written.values()]
    this.#written.clear()
    void this.put(records)
  }

  /** A promise where somebody has a new address and it is worth waiting until that is written. */
  put(records: readonly LeaseRecord[]): Promise<void> | undefined {
    if (this.#stop.signal.aborted) return undefined
    const waits = records.flatMap((record) => this.#add(record) ?? [])
    this.#pump()
    return waits.length === 0 ? undefined : this.#atMost(Promise.all(waits))
  }

  /** Writes what is left if that is quick. */
  async stop(graceMs: number): Promise<void> {
    if (this.pending > 0 && this.#isHealthy && !this.#stop.signal.aborted) {
      const empty = new Promise<void>((resolve) => {
        this.#onEmpty = resolve
      })
      await Promise.race([empty, sleep(this.#options.clock, Math.min(graceMs, 1000))])
    }
    this.#stop.abort(new Error('the engine is being stopped'))
    this.#letGo()
  }

  #add(record: LeaseRecord): Promise<void> | undefined {
    const { address } = record
    const before = this.#waiting.get(address)
    const last = before?.record ?? this.#inFlight.get(address)?.record ?? this.#written.get(address)
    if (last !== undefined && (last.sequence > record.sequence || fingerprint(last) === fingerprint(record))) return
    const isNew = record.state === 'Active' && (last?.state !== 'Active' || last.mac !== record.mac)
    const sinceMs = before?.sinceMs ?? this.#options.clock.elapsed()
    const done = before?.done ?? []
    this.#waiting.set(address, { record, sinceMs, isUrgent: isNew || before?.isUrgent === true, done })
    if (!isNew || !this.#isHealthy || this.pending > worthWaitingFor) return undefined
    return new Promise((resolve) => done.push(resolve))
  }

  #atMost(writes: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(longestWaitMs, () => {
        // One client found out that nobody answers; the next ones need not.
        this.#isHealthy = false
        resolve()
      })
      void writes.then(() => {
        cancel()
        resolve()
      })
    })
  }

  #pump(): void {
    if (this.#isPaused || this.#stop.signal.aborted) return
    while (this.#inFlight.size < parallel) {
      const next = this.#next()
      if (next === undefined) break
      if (!this.#buckets.take('')) {
        this.#pause(rate.refillMs)
        break
      }
      this.#waiting.delete(next.record.address)
      this.#inFlight.set(next.record.address, next)
      void this.#write(next)
    }
    if (this.pending === 0) this.#onEmpty?.()
  }

  #next(): Waiting | undefined {
    let first: Waiting | undefined
    for (const candidate of this.#waiting.values()) {
      if (this.#inFlight.has(candidate.record.address)) continue
      if (candidate.isUrgent) return candidate
      first ??= candidate
    }
    return first
  }

  async #write(entry: Waiting): Promise<void> {
    const { record } = entry
    const result = await this.#options.write(record, this.#stop.signal).catch(() => 'later' as const)
    this.#inFlight.delete(record.address)
    if (result === 'again' || result === 'later') this.#putBack(entry)
    if (result === 'done' || result === 'never') {
      this.#written.set(record.address, record)
      for (const resolve of entry.done) resolve()
    }
    if (result === 'done') {
      this.stats.done++
      this.#isHealthy = true
    }
    if (result === 'later') this.#outage()
    this.#pump()
  }

  #putBack(entry: Waiting): void {
    const { address } = entry.record
    const newer = this.#waiting.get(address)
    if (newer) newer.done.push(...entry.done)
    this.#waiting.set(address, newer ? { ...newer, sinceMs: entry.sinceMs } : entry)
  }

  #outage(): void {
    this.stats.failed++
    this.#isHealthy = false
    this.#letGo()
    this.#pause(this.#backoff.next())
  }

  #pause(forMs: number): void {
    if (this.#isPaused) return
    this.#isPaused = true
    this.#options.clock.after(forMs, () => {
      this.#isPaused = false
      this.#pump()
    })
  }

  #letGo(): void {
    for (const { done } of [...this.#waiting.values(), ...this.#inFlight.values()]) {
      for (const resolve of done.splice(0)) resolve()
    }
  }
}
