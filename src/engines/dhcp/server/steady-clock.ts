/** Between two looks at it, a wall clock that is only being adjusted strays by less than this. */
const stepMs = 2000

/**
 * Wall-clock time that does not jump: it is read once and then counted on. When somebody sets the clock, `takeStep`
 * says by how much, so that leases can be moved along with it instead of all ending at once (or never).
 */
export class SteadyClock {
  readonly #wallMs: () => number
  readonly #monotonicMs: () => number
  #offsetMs: number

  constructor(wallMs: () => number, monotonicMs: () => number) {
    this.#wallMs = wallMs
    this.#monotonicMs = monotonicMs
    this.#offsetMs = wallMs() - monotonicMs()
  }

  nowMs(): number {
    return Math.floor(this.#offsetMs + this.#monotonicMs())
  }

  /** By how much the wall clock was set since the last call; 0 if it only ticked. From now on it counts. */
  takeStep(): number {
    const offsetMs = this.#wallMs() - this.#monotonicMs()
    const movedMs = offsetMs - this.#offsetMs
    this.#offsetMs = offsetMs
    return Math.abs(movedMs) > stepMs ? Math.round(movedMs) : 0
  }
}
