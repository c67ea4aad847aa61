/** Replies a second to one network that may be the victim of somebody else's questions; and as many at once. */
const repliesPerSecond = 200
const slotCount = 4096
/** Every second reply over the limit is sent without content: whoever really asks comes back over TCP. */
const answerEvery = 2

export type Allowance = 'reply' | 'truncate' | 'drop'

/**
 * Bounds what can be sent to a network by asking in its name (response rate limiting). A network is a /24, or a /56 of
 * IPv6. Networks share slots by a secret hash, so memory and work stay the same whatever addresses come.
 */
export class ReplyRateLimit {
  readonly #seed: number
  readonly #tokens = new Float64Array(slotCount).fill(repliesPerSecond)
  readonly #updatedAtMs = new Float64Array(slotCount)
  #overLimit = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  /** `address`: 4 or 16 bytes. */
  take(address: Uint8Array, nowMs: number): Allowance {
    const slot = this.#slotOf(address)
    const elapsedMs = Math.max(nowMs - (this.#updatedAtMs[slot] ?? 0), 0)
    const refilled = (this.#tokens[slot] ?? 0) + (elapsedMs * repliesPerSecond) / 1000
    const tokens = Math.min(refilled, repliesPerSecond)
    this.#updatedAtMs[slot] = nowMs
    this.#tokens[slot] = tokens >= 1 ? tokens - 1 : tokens
    if (tokens >= 1) return 'reply'
    return ++this.#overLimit % answerEvery === 0 ? 'truncate' : 'drop'
  }

  #slotOf(address: Uint8Array): number {
    const prefixLength = address.length === 4 ? 3 : 7
    let hash = this.#seed
    for (let index = 0; index < prefixLength; index++) hash = Math.imul(hash ^ (address[index] ?? 0), 0x01000193)
    return (hash ^ (hash >>> 15)) & (slotCount - 1)
  }
}
