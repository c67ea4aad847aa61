import type { KubeClient } from '../kube/client.ts'
import { ApiError, isGone, isKindMissing } from '../kube/error.ts'
import type { Kind } from '../kube/kind.ts'
import type { KubeObject } from '../kube/object.ts'
import type { Selection } from '../kube/options.ts'
import type { WatchEvent } from '../kube/watch.ts'
import type { Logger } from '../observe/log.ts'
import { Backoff } from '../time/backoff.ts'
import { type Clock, sleep } from '../time/clock.ts'

/** Who is told. None of these may throw. */
export interface ReflectorSink<T extends KubeObject> {
  /** All there is: whatever is not in it is gone. */
  replace(items: readonly T[]): void
  change(event: Exclude<WatchEvent<T>, { type: 'bookmark' }>): void
  /** The API server does not know the kind; whether that is worth a word in the log is the sink's to say. */
  kindMissing(error: Error): void
}

export interface ReflectorOptions<T extends KubeObject> extends Selection {
  readonly client: KubeClient
  readonly kind: Kind<T>
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
  /** API servers send a bookmark about every minute; two missed ones and a half mean that nobody is there. */
  readonly idleMs?: number
  /** Told when it begins to fail, not again until it has worked in between. */
  readonly onInterrupted?: (error: Error) => void
}

const backoff = { firstMs: 800, longestMs: 30_000, resetAfterMs: 120_000 }
/** A watch that lived this long was healthy: its end, however it came, is no reason to wait. */
const healthyMs = 10_000
const shortestWatchSeconds = 300

/**
 * Follows a kind for ever: lists, watches from there, and begins again after whatever happens, until it is told to
 * stop. It lists again only when the place to go on from is lost (410, or an event that could not be read); a broken or
 * silent connection is simply replaced. Failures are waited out with growing delays, told in the log, and kept in `stats`.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>
  readonly #sink: ReflectorSink<T>
  readonly #backoff: Backoff
  readonly stats = { lists: 0, watches: 0, events: 0, bookmarks: 0, expired: 0, idle: 0, failures: 0 }
  /** Why it is not up to date; undefined while all is well. */
  lastError: Error | undefined
  #resourceVersion: string | undefined

  constructor(options: ReflectorOptions<T>, sink: ReflectorSink<T>) {
    this.#options = options
    this.#sink = sink
    this.#backoff = new Backoff(backoff, options.clock, options.random)
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    while (!signal.aborted) {
      const startedAt = clock.elapsed()
      let failure: unknown
      try {
        const from = this.#resourceVersion ?? (await this.#list(signal))
        await this.#watch(from, signal)
      } catch (error) {
        if (signal.aborted) return
        failure = error
        this.#note(error)
      }
      const wasHealthy = clock.elapsed() - startedAt >= healthyMs
      // A server that ends each watch at once would otherwise be asked again thousands of times a second.
      if (!wasHealthy || isKindMissing(failure)) await sleep(clock, this.#backoff.next(), signal)
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { client, kind, namespace, labelSelector, fieldSelector } = this.#options
    this.stats.lists++
    const list = await client.list(kind, { namespace, labelSelector, fieldSelector, signal })
    this.lastError = undefined
    this.#sink.replace(list.items)
    this.#resourceVersion = list.resourceVersion
    return list.resourceVersion
  }

  async #watch(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { client, kind, namespace, labelSelector, fieldSelector, random, idleMs = 150_000 } = this.#options
    this.stats.watches++
    // Spread out, so that the watches of a program do not all end together.
    const timeoutSeconds = Math.round(shortestWatchSeconds * (1 + random()))
    const selection = { namespace, labelSelector, fieldSelector }
    for await (const event of client.watch(kind, { ...selection, resourceVersion, timeoutSeconds, idleMs, signal })) {
      this.lastError = undefined
      if (event.type === 'bookmark') {
        this.stats.bookmarks++
        this.#resourceVersion = event.resourceVersion
      } else {
        this.stats.events++
        this.#resourceVersion = event.object.metadata.resourceVersion ?? this.#resourceVersion
        this.#sink.change(event)
      }
    }
  }

  #note(error: unknown): void {
    const { log, kind, onInterrupted } = this.#options
    const isNews = this.lastError === undefined
    this.lastError = error instanceof Error ? error : new Error(String(error))
    if (isGone(error)) {
      this.stats.expired++
      this.#resourceVersion = undefined
      log.info({ kind: kind.kind }, 'the watch is too old to go on; listing again')
      return
    }
    this.stats.failures++
    if (isNews) onInterrupted?.(this.lastError)
    if (isReason(error, 'Timeout')) this.stats.idle++
    // Something was said that we did not understand, so we do not know what we missed.
    if (isReason(error, 'Malformed')) this.#resourceVersion = undefined
    if (isKindMissing(error)) {
      this.#resourceVersion = undefined
      this.#sink.kindMissing(this.lastError)
      return
    }
    log.warn({ kind: kind.kind, err: this.lastError }, 'watch interrupted; trying again')
  }
}

function isReason(error: unknown, reason: string): boolean {
  return error instanceof ApiError && error.reason === reason
}
