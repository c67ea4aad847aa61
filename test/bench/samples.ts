/** What came out of loading one contender once. */
export interface Sample {
  readonly perSecond: number
  /** Absent where no process of the contender could be charged. */
  readonly cpuMicrosecondsPerOperation?: number
  /** Share of the operations that were begun and never answered. */
  readonly lostShare: number
  /** Cores that strangers used meanwhile: tells a noisy round from a slow one. */
  readonly foreignCores: number
}

/** All rounds of one measure. The first contender is ours; every contender has one sample per round. */
export interface MeasureResult {
  readonly name: string
  readonly unit: string
  readonly contenders: readonly { readonly name: string; readonly samples: readonly Sample[] }[]
}

export interface Row {
  readonly measure: string
  readonly unit: string
  readonly contender: string
  readonly perSecond: number
  readonly best: number
  readonly cpuMicrosecondsPerOperation: number
  readonly lostShare: number
  readonly foreignCores: number
  /** Ours to this one; absent for ours. More is better in the first, less in the second. */
  readonly rateRatio?: number
  readonly cpuRatio?: number
}

export function rowsOf({ name, unit, contenders }: MeasureResult): Row[] {
  const ours = contenders[0]?.samples ?? []
  return contenders.map((contender, index) => {
    const { samples } = contender
    return {
      measure: name,
      unit,
      contender: contender.name,
      perSecond: median(samples.map((sample) => sample.perSecond)),
      best: Math.max(...samples.map((sample) => sample.perSecond)),
      cpuMicrosecondsPerOperation: median(samples.map(cpuOf)),
      lostShare: median(samples.map((sample) => sample.lostShare)),
      foreignCores: median(samples.map((sample) => sample.foreignCores)),
      ...(index > 0 && {
        rateRatio: medianRatio(ours, samples, (sample) => sample.perSecond),
        cpuRatio: medianRatio(ours, samples, cpuOf),
      }),
    }
  })
}

function cpuOf(sample: Sample): number {
  return sample.cpuMicrosecondsPerOperation ?? Number.NaN
}

/** Round by round, so that a slow minute of the machine, which slows both, cancels out. */
function medianRatio(ours: readonly Sample[], theirs: readonly Sample[], quantity: (sample: Sample) => number): number {
  return median(
    ours.flatMap((sample, round) => {
      const other = theirs[round]
      return other === undefined ? [] : [quantity(sample) / quantity(other)]
    }),
  )
}

/** Of the numbers among the values; none gives NaN. */
export function median(values: readonly number[]): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b)
  const upper = sorted[sorted.length >> 1] ?? Number.NaN
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN
  return (lower + upper) / 2
}

/** The value that this share of the values does not exceed, by the nearest rank; none gives NaN. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** The same items, begun further on: nobody is always first. */
export function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const start = items.length === 0 ? 0 : by % items.length
  return [...items.slice(start), ...items.slice(0, start)]
}
