import type { KubeClient } from '../kube/client.ts'
import { ApiError, isObjectMissing } from '../kube/error.ts'
import { event as eventKind, type KubeEvent } from '../kube/kinds.ts'
import type { Logger } from '../observe/log.ts'
import { type Clock, sleep } from '../time/clock.ts'
import { TokenBuckets } from './bucket.ts'
import { type Happening, happeningKey, newEvent, type Reporter, seriesOf } from './event.ts'

export interface RecorderOptions extends Reporter {
  readonly client: Pick<KubeClient, 'create' | 'mergePatch'>
  readonly clock: Clock
  readonly log: Logger
}

interface Series {
  readonly happening: Happening
  event: KubeEvent
  isStored: boolean
  count: number
  lastMs: number
}

/** The same thing after a longer silence is a new event. */
const seriesEndsAfterMs = 10 * 60_000
const mostSeries = 4096
const mostAttempts = 3
const perObject = { burst: 25, refillMs: 5 * 60_000 }

/**
 * Writes events for people to read (`kubectl describe`). It never makes anybody wait and never fails: what happens
 * again is counted in a series of the same event; an object gets at most 25 writes at once and one more every five
 * minutes, what exceeds that is counted and written with the next; what cannot be written is dropped and logged.
 */
export class EventRecorder {
  readonly #options: RecorderOptions
  readonly #buckets: TokenBuckets
  readonly #series = new Map<string, Series>()
  readonly #unwritten = new Set<string>()
  readonly #stop = new AbortController()
  readonly stats = { recorded: 0, written: 0, suppressed: 0, dropped: 0 }
  #writing: Promise<void> | undefined

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#buckets = new TokenBuckets(perObject, options.clock)
  }

  record(happening: Happening): void {
    if (this.#stop.signal.aborted) return
    const { clock } = this.#options
    const now = clock.now()
    const key = happeningKey(happening)
    const known = this.#series.get(key)
    this.stats.recorded++
    if (known && now - known.lastMs <= seriesEndsAfterMs) {
      known.count++
      known.lastMs = now
    } else {
      this.#makeRoom(now)
      const event = newEvent(happening, this.#options, now, this.stats.recorded)
      this.#series.set(key, { happening, event, isStored: false, count: 1, lastMs: now })
    }
    this.#unwritten.add(key)
    this.#writing ??= this.#write()
  }

  /** Resolves when everything recorded so far is written or dropped. */
  async flush(): Promise<void> {
    await this.#writing
  }

  /** Takes nothing more and gives what is recorded a little time. */
  async stop(graceMs: number): Promise<void> {
    const cancel = this.#options.clock.after(graceMs, () => this.#stop.abort(new Error('the event recorder stops')))
    await this.flush()
    cancel()
    this.#stop.abort()
  }

  async #write(): Promise<void> {
    await Promise.resolve()
    for (const key of this.#unwritten) {
      this.#unwritten.delete(key)
      const series = this.#series.get(key)
      if (!series) continue
      if (!this.#buckets.take(series.happening.regarding.metadata.uid ?? series.event.metadata.name)) {
        this.stats.suppressed++
        continue
      }
      await this.#store(series)
    }
    // In the same breath as finding nothing left: what is recorded from here on starts anew.
    this.#writing = undefined
  }

  async #store(series: Series): Promise<void> {
    const { clock, log } = this.#options
    const { signal } = this.#stop
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#storeOnce(series, signal)
        series.isStored = true
        this.stats.written++
        return
      } catch (error) {
        const mayPass = error instanceof ApiError && (error.status === 0 || error.status >= 500)
        if (!mayPass || attempt === mostAttempts || signal.aborted) {
          this.stats.dropped++
          log.warn({ err: error, reason: series.happening.reason }, 'an event could not be written')
          return
        }
        await sleep(clock, attempt * 1000, signal)
      }
    }
  }

  async #storeOnce(series: Series, signal: AbortSignal): Promise<void> {
    const { client } = this.#options
    const { event, count, lastMs } = series
    const counted = count > 1 ? { series: seriesOf(count, lastMs) } : {}
    if (series.isStored) {
      try {
        await client.mergePatch(eventKind, event.metadata, counted, signal)
        return
      } catch (error) {
        // Events expire after an hour; the series goes on in a new one.
        if (!isObjectMissing(error)) throw error
        series.event = newEvent(series.happening, this.#options, lastMs, this.stats.recorded)
      }
    }
    await client.create(eventKind, { ...series.event, ...counted }, signal)
  }

  #makeRoom(now: number): void {
    if (this.#series.size < mostSeries) return
    for (const [key, { lastMs }] of this.#series) if (now - lastMs > seriesEndsAfterMs) this.#series.delete(key)
    this.#buckets.tidy()
    const [oldest] = this.#series.keys()
    if (this.#series.size >= mostSeries && oldest !== undefined) this.#series.delete(oldest)
  }
}
