/** So many answers, and the estimate is worth something. */
const enoughSamples = 8

/** How long the answers of one upstream usually take, estimated as TCP does it (RFC 6298 section 2). */
export class RoundTrip {
  #smoothedMs = 0
  #deviationMs = 0
  #samples = 0

  add(ms: number): void {
    if (this.#samples++ === 0) {
      this.#smoothedMs = ms
      this.#deviationMs = ms / 2
      return
    }
    this.#deviationMs += (Math.abs(this.#smoothedMs - ms) - this.#deviationMs) / 4
    this.#smoothedMs += (ms - this.#smoothedMs) / 8
  }

  /** What takes longer than this is unusual; undefined: not known yet. */
  get usualMs(): number | undefined {
    return this.#samples < enoughSamples ? undefined : this.#smoothedMs + 4 * this.#deviationMs
  }
}
