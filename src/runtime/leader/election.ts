import type { KubeClient } from '../kube/client.ts'
import { isAlreadyExists, isConflict } from '../kube/error.ts'
import { type Fence, FenceClosed } from '../kube/fence.ts'
import { type Lease, lease as leaseKind } from '../kube/kinds.ts'
import { keyOf, type ObjectRef } from '../kube/object.ts'
import type { Logger } from '../observe/log.ts'
import { type Clock, sleep } from '../time/clock.ts'
import { startDeadline } from '../time/deadline.ts'
import { mayTake, newLease, released, type Sighting, sight, taken } from './record.ts'
import { Stopwatch } from './stopwatch.ts'

export type LeaseClient = Pick<KubeClient, 'get' | 'create' | 'replace'>

export interface ElectionOptions {
  /** Not fenced: it writes the Lease. */
  readonly client: LeaseClient & { fencedBy(fence: Fence): LeaseClient }
  readonly lease: ObjectRef
  /** Who we are; different for every process that ever runs. */
  readonly identity: string
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
  /** How long others have to wait after our last sign of life. */
  readonly leaseSeconds?: number
  /** How long we take ourselves for the leader after our last renewal. Shorter, so that what is on its way arrives. */
  readonly renewDeadlineSeconds?: number
  readonly retrySeconds?: number
}

/**
 * At most one of the processes that share a Lease is the leader at a time.
 *
 * `elected` resolves when this one is. From then on it renews the Lease; if it cannot for `renewDeadlineSeconds`, or
 * somebody else has taken it, `lost` resolves, and it never tries again: the process should end. `fence` throws
 * whenever this process is not certainly the leader, by its own clock and at that very moment; a client behind it
 * writes nothing after the process was paused, even before it learns that it has lost. `stop` gives the Lease back.
 */
export class Election {
  readonly #options: Required<ElectionOptions>
  readonly #elected = Promise.withResolvers<void>()
  readonly #lost = Promise.withResolvers<Error>()
  readonly #stop = new AbortController()
  readonly #sinceRenewal: Stopwatch
  #held: Lease | undefined
  #running: Promise<void> | undefined

  constructor(options: ElectionOptions) {
    this.#options = { leaseSeconds: 15, renewDeadlineSeconds: 10, retrySeconds: 2, ...options }
    this.#sinceRenewal = new Stopwatch(options.clock)
  }

  get elected(): Promise<void> {
    return this.#elected.promise
  }

  get lost(): Promise<Error> {
    return this.#lost.promise
  }

  /** Certainly, at this moment. */
  get isLeader(): boolean {
    return this.#held !== undefined && this.#sinceRenewal.elapsedMs() < this.#options.renewDeadlineSeconds * 1000
  }

  readonly fence: Fence = () => {
    if (!this.isLeader)
      throw new FenceClosed(`${this.#options.identity} is not the leader (any more); nothing is written.`)
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Gives the Lease back if it is ours. Nothing may be written through the fence any more. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the election was stopped'))
    await this.#running
    const held = this.isLeader ? this.#held : undefined
    this.#held = undefined
    if (!held) return
    const { client, clock, log } = this.#options
    await client.replace(leaseKind, released(held, clock.now())).catch((error: unknown) => {
      log.warn({ err: error }, 'the lease could not be given back; it will expire')
    })
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    const { clock, random, retrySeconds, log, identity, lease } = this.#options
    let sighting: Sighting | undefined
    while (!signal.aborted && !this.#held) {
      sighting = await this.#campaign(sighting, signal)
      if (!this.#held) await sleep(clock, retrySeconds * 1000 * (1 + random() / 2), signal)
    }
    if (!this.#held) return
    log.info({ lease: keyOf(lease), identity }, 'elected')
    this.#elected.resolve()
    const reason = await this.#keep(signal)
    if (!reason) return
    this.#held = undefined
    log.error({ lease: keyOf(lease), identity, err: reason }, 'leadership lost')
    this.#lost.resolve(reason)
  }

  /** One attempt to become the leader; returns what it saw. */
  async #campaign(before: Sighting | undefined, signal: AbortSignal): Promise<Sighting | undefined> {
    const { client, lease: ref, identity, leaseSeconds, clock, log } = this.#options
    try {
      const lease = await client.get(leaseKind, ref, signal)
      const startedAt = this.#sinceRenewal.mark()
      if (!lease) {
        this.#hold(
          await client.create(leaseKind, newLease(ref, identity, leaseSeconds, clock.now()), signal),
          startedAt,
        )
        return undefined
      }
      const sighting = sight(before, lease, clock.elapsed())
      if (!mayTake(sighting, identity, clock.elapsed())) return sighting
      this.#hold(await client.replace(leaseKind, taken(lease, identity, leaseSeconds, clock.now()), signal), startedAt)
      return undefined
    } catch (error) {
      const wasQuicker = isConflict(error) || isAlreadyExists(error)
      if (!wasQuicker && !signal.aborted) log.warn({ err: error }, 'the lease cannot be read or written; trying again')
      return before
    }
  }

  /** Renews until told to stop (undefined) or until leadership is lost (why). */
  async #keep(signal: AbortSignal): Promise<Error | undefined> {
    const { clock, retrySeconds, log } = this.#options
    for (;;) {
      await sleep(clock, retrySeconds * 1000, signal)
      if (signal.aborted) return undefined
      if (!this.isLeader) return new Error(`the lease was not renewed for ${this.#sinceRenewal.elapsedMs() / 1000} s`)
      try {
        const taker = await this.#renew(signal)
        if (taker !== undefined) return new Error(`${taker || 'nobody'} holds the lease now`)
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, 'the lease could not be renewed; trying again')
      }
    }
  }

  /** Undefined if it is still ours, else who has it. */
  async #renew(signal: AbortSignal): Promise<string | undefined> {
    const { client, lease: ref, identity, leaseSeconds, renewDeadlineSeconds, clock } = this.#options
    if (!this.#held) return ''
    const leftMs = renewDeadlineSeconds * 1000 - this.#sinceRenewal.elapsedMs()
    const deadline = startDeadline(clock, leftMs, signal, () => new Error('too late to renew the lease'))
    try {
      const startedAt = this.#sinceRenewal.mark()
      const renewed = taken(this.#held, identity, leaseSeconds, clock.now())
      // Fenced like everything else: a renewal that was held up past its time must not go out.
      this.#hold(await client.fencedBy(this.fence).replace(leaseKind, renewed, deadline.signal), startedAt)
      return undefined
    } catch (error) {
      if (!isConflict(error)) throw error
      // Our own write whose answer was lost, or somebody else's.
      const current = await client.get(leaseKind, ref, deadline.signal)
      if (current?.spec?.holderIdentity !== identity) return current?.spec?.holderIdentity ?? ''
      this.#held = current
      return undefined
    } finally {
      deadline.cancel()
    }
  }

  /** Counted from before the request was sent: the others count from when they saw it, which is later. */
  #hold(lease: Lease, startedAt: ReturnType<Stopwatch['mark']>): void {
    this.#held = lease
    this.#sinceRenewal.startFrom(startedAt)
  }
}
