/** So many lines a second: whoever makes a log grow must not fill the disk. What is beyond that is counted, and told later. */
export class LineLimit {
  readonly #perSecond: number
  readonly #tell: (leftOut: number) => void
  #secondStartedAtMs = 0
  #linesInSecond = 0
  #leftOut = 0

  /** `tell` is called with the first line after a second in which lines were left out. */
  constructor(perSecond: number, tell: (leftOut: number) => void) {
    this.#perSecond = perSecond
    this.#tell = tell
  }

  /** False: leave this line out. */
  take(nowMs: number): boolean {
    if (Math.abs(nowMs - this.#secondStartedAtMs) >= 1000) this.#beginSecond(nowMs)
    if (this.#linesInSecond < this.#perSecond) {
      this.#linesInSecond++
      return true
    }
    this.#leftOut++
    return false
  }

  #beginSecond(nowMs: number): void {
    if (this.#leftOut > 0) this.#tell(this.#leftOut)
    this.#secondStartedAtMs = nowMs
    this.#linesInSecond = 0
    this.#leftOut = 0
  }
}
