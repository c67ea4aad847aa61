import { Timeouts, type Wait } from './timeouts.ts'

/** A few fixed waits instead of any: waits of one length end in the order they began. */
const waitsMs = [25, 50, 100, 200, 400]
/** At most one question in ten is asked twice, with some room for a burst: a slow upstream must not get twice the load. */
const share = 0.1
const burst = 10

/** Asks somebody else as well when an answer takes unusually long, before it is given up. */
export class Hedges<Item> {
  readonly #waits: ReadonlyMap<number, Timeouts<Item>>
  #allowed = burst

  /** `isWanted` is asked when the wait is over, `hedge` is then called if there is still allowance for it. */
  constructor(isWanted: (item: Item) => boolean, hedge: (item: Item) => void) {
    const expired = (item: Item): void => {
      if (!isWanted(item) || this.#allowed < 1) return
      this.#allowed--
      hedge(item)
    }
    this.#waits = new Map(waitsMs.map((waitMs) => [waitMs, new Timeouts<Item>(waitMs, expired)]))
  }

  /** `usualMs`: how long the answer usually takes; `patienceMs`: when somebody else is asked anyway. */
  add(item: Item, usualMs: number | undefined, patienceMs: number): Wait<Item> | undefined {
    this.#allowed = Math.min(this.#allowed + share, burst)
    if (usualMs === undefined) return undefined
    const waitMs = waitsMs.find((wait) => wait >= usualMs)
    return waitMs !== undefined && waitMs < patienceMs ? this.#waits.get(waitMs)?.add(item) : undefined
  }

  stop(): void {
    for (const wait of this.#waits.values()) wait.stop()
  }
}
