/** What one rung came to. */
export interface Rung {
  readonly dropped: number
  readonly averageDelayMs: number
  readonly perSecond: number
}

/** A large receive buffer hides for seconds that a server falls behind; the growing delay of its answers shows it. */
const longestDelayMs = 50

function holds(rung: Rung): boolean {
  return rung.dropped === 0 && rung.averageDelayMs <= longestDelayMs
}

const firstRate = 2000
const step = 1.5
const refinements = 2

/**
 * The highest rate that is sustained without a single drop: up in steps until one fails, then twice halfway between
 * what held and what did not. A rung that fails is tried once more, as a hiccup of the machine must not end the climb.
 * Undefined if not even the first holds.
 */
export async function climb(attempt: (rate: number) => Promise<Rung>): Promise<Rung | undefined> {
  const twice = async (rate: number) => {
    const first = await attempt(rate)
    return holds(first) && isReached(first, rate) ? first : attempt(rate)
  }
  let best: Rung | undefined
  let held = 0
  let failed = firstRate
  for (let rate = firstRate; ; rate = Math.round(rate * step)) {
    const rung = await twice(rate)
    failed = rate
    if (!holds(rung)) break
    held = rate
    best = fasterOf(best, rung)
    if (!isReached(rung, rate)) return best
  }
  for (let refinement = 0; refinement < refinements && held > 0; refinement++) {
    const rate = Math.round((held + failed) / 2)
    const rung = await twice(rate)
    if (holds(rung)) held = rate
    else failed = rate
    if (holds(rung)) best = fasterOf(best, rung)
  }
  return best
}

/** Else the load itself cannot offer more. */
function isReached(rung: Rung, rate: number): boolean {
  return rung.perSecond >= rate * 0.9
}

function fasterOf(best: Rung | undefined, rung: Rung): Rung {
  return best === undefined || rung.perSecond > best.perSecond ? rung : best
}
