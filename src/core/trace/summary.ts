import { type Boot, type Stage, stages } from './boots.ts'

/** Long enough for every healthy machine, and for one that fetches a large image before it goes on. */
export const stuckAfterMs = 5 * 60_000
const mostStuck = 50

/** A machine that goes no further. */
export interface Stuck extends Boot {
  readonly sinceMs: number
}

export interface Summary {
  readonly known: number
  /** How many came at least so far. */
  readonly leased: number
  readonly resolved: number
  readonly connected: number
  /** At most 50. */
  readonly stuck: readonly Stuck[]
  /** When one more of them will have been waiting for too long; undefined if none will. */
  readonly nextMs: number | undefined
}

/**
 * All machines of a VLAN in a few numbers, and those that are stuck. `before` are those that were: they stay so until they
 * get further, also when their lease is renewed meanwhile, which makes it look younger.
 */
export function summarize(
  boots: readonly Boot[],
  before: readonly Pick<Stuck, 'name' | 'stage' | 'address' | 'sinceMs'>[],
  nowMs: number,
): Summary {
  const upTo = (stage: Stage): number =>
    boots.filter((boot) => stages.indexOf(boot.stage) >= stages.indexOf(stage)).length
  const waiting = boots.flatMap((boot): Stuck[] => {
    if (boot.stage === 'Connected' || boot.hint === '' || boot.sinceMs === undefined) return []
    const known = before.find(
      ({ name, stage, address }) => name === boot.name && stage === boot.stage && address === boot.address,
    )
    return [{ ...boot, sinceMs: Math.min(boot.sinceMs, known?.sinceMs ?? boot.sinceMs) }]
  })
  const isStuck = ({ sinceMs }: Stuck): boolean => nowMs - sinceMs >= stuckAfterMs
  const due = waiting.filter((boot) => !isStuck(boot)).map(({ sinceMs }) => sinceMs + stuckAfterMs)
  return {
    known: boots.length,
    leased: upTo('Leased'),
    resolved: upTo('Resolved'),
    connected: upTo('Connected'),
    stuck: waiting.filter(isStuck).slice(0, mostStuck),
    nextMs: due.length === 0 ? undefined : Math.min(...due),
  }
}
