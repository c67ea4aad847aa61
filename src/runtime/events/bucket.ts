import type { Clock } from '../time/clock.ts'

export interface BucketOptions {
  /** How many may pass at once. */
  readonly burst: number
  /** After which time one more may pass. */
  readonly refillMs: number
}

/** Token buckets by key, all with the same measure. A full bucket is as good as none and is forgotten. */
export class TokenBuckets {
  readonly #options: BucketOptions
  readonly #clock: Clock
  readonly #buckets = new Map<string, { tokens: number; at: number }>()

  constructor(options: BucketOptions, clock: Clock) {
    this.#options = options
    this.#clock = clock
  }

  get size(): number {
    return this.#buckets.size
  }

  take(key: string): boolean {
    const { burst, refillMs } = this.#options
    const now = this.#clock.elapsed()
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now }
    const tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refillMs)
    const isAllowed = tokens >= 1
    this.#buckets.set(key, { tokens: isAllowed ? tokens - 1 : tokens, at: now })
    return isAllowed
  }

  /** Drops the buckets that are full again. */
  tidy(): void {
    const { burst, refillMs } = this.#options
    const now = this.#clock.elapsed()
    for (const [key, { tokens, at }] of this.#buckets) {
      if (tokens + (now - at) / refillMs >= burst) this.#buckets.delete(key)
    }
  }
}
