import { readFile } from 'node:fs/promises'

/** A server under test. It is started pinned to the first core; whatever loads it is pinned to the second. */
export interface Contender {
  readonly name: string
  start(): Promise<RunningContender>
}

export interface RunningContender {
  /** Processes whose CPU time is charged to it. */
  readonly pids: readonly number[]
  stop(): Promise<void>
}

/** One kind of load on a running contender: how much work was done in how long. */
export interface Measure {
  readonly name: string
  readonly unit: string
  run(contender: Contender): Promise<{ readonly operations: number; readonly seconds: number }>
}

interface Suite {
  readonly name: string
  /** The first is ours; ratios are ours to each of the others. */
  readonly contenders: readonly Contender[]
  readonly measures: readonly Measure[]
  readonly rounds: number
}

interface Sample {
  readonly perSecond: number
  readonly cpuMicrosecondsPerOperation: number
  /** Share of one core that strangers used meanwhile: a noisy round can be told from a slow one. */
  readonly foreignCores: number
}

export interface Row {
  readonly measure: string
  readonly unit: string
  readonly contender: string
  readonly perSecond: number
  readonly best: number
  readonly cpuMicrosecondsPerOperation: number
  readonly foreignCores: number
  /** Ours to this one, by medians; 1 for ours. */
  readonly ratio: number
}

/** Commands that pin a process: servers and generators never share a core. */
export const pinServer = ['taskset', '-c', '0'] as const
export const pinLoad = ['taskset', '-c', '1'] as const

/** All contenders run at once and take turns, so that a busy minute of the machine hits each of them. */
export async function runSuite(suite: Suite, progress: (line: string) => void): Promise<Row[]> {
  const running = new Map<Contender, RunningContender>()
  const samples = new Map<Measure, Map<Contender, Sample[]>>()
  try {
    for (const contender of suite.contenders) running.set(contender, await contender.start())
    for (let round = 0; round < suite.rounds; round++) {
      for (const measure of suite.measures) {
        for (const [contender, { pids }] of rotate([...running], round)) {
          const sample = await takeSample(measure, contender, pids)
          const ofMeasure = samples.get(measure) ?? new Map<Contender, Sample[]>()
          samples.set(measure, ofMeasure)
          ofMeasure.set(contender, [...(ofMeasure.get(contender) ?? []), sample])
          progress(
            `${suite.name} ${round + 1}/${suite.rounds} ${measure.name}: ${contender.name} ${Math.round(sample.perSecond)} ${measure.unit}`,
          )
        }
      }
    }
  } finally {
    for (const server of running.values()) await server.stop()
  }
  return suite.measures.flatMap((measure) => rowsOf(measure, suite.contenders, samples.get(measure) ?? new Map()))
}

async function takeSample(measure: Measure, contender: Contender, pids: readonly number[]): Promise<Sample> {
  const [ownBefore, allBefore] = [await cpuSeconds(pids), await machineCpuSeconds()]
  const { operations, seconds } = await measure.run(contender)
  const own = (await cpuSeconds(pids)) - ownBefore
  const all = (await machineCpuSeconds()) - allBefore
  return {
    perSecond: operations / seconds,
    cpuMicrosecondsPerOperation: operations === 0 ? Number.NaN : (own * 1e6) / operations,
    foreignCores: Math.max(0, (all - own) / seconds - 1),
  }
}

function rowsOf(measure: Measure, contenders: readonly Contender[], samples: Map<Contender, Sample[]>): Row[] {
  const medians = contenders.map((contender) =>
    median((samples.get(contender) ?? []).map((sample) => sample.perSecond)),
  )
  return contenders.map((contender, index) => {
    const own = samples.get(contender) ?? []
    return {
      measure: measure.name,
      unit: measure.unit,
      contender: contender.name,
      perSecond: medians[index] ?? Number.NaN,
      best: Math.max(...own.map((sample) => sample.perSecond)),
      cpuMicrosecondsPerOperation: median(own.map((sample) => sample.cpuMicrosecondsPerOperation)),
      foreignCores: median(own.map((sample) => sample.foreignCores)),
      ratio: (medians[0] ?? Number.NaN) / (medians[index] ?? Number.NaN),
    }
  })
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const start = by % items.length
  return [...items.slice(start), ...items.slice(0, start)]
}

const ticksPerSecond = 100

/** User and system time of the processes, all threads, from /proc/PID/stat fields 14 and 15. */
async function cpuSeconds(pids: readonly number[]): Promise<number> {
  const ticks = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      return Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
    }),
  )
  return ticks.reduce((sum, value) => sum + value, 0) / ticksPerSecond
}

/** Busy time of the whole machine: user, nice, system, irq, softirq, steal. */
async function machineCpuSeconds(): Promise<number> {
  const [, user, nice, system, , , irq, softirq, steal] = (await readFile('/proc/stat', 'utf8'))
    .split('\n', 1)
    .join('')
    .split(/\s+/)
    .map(Number)
  return (
    [user, nice, system, irq, softirq, steal].reduce<number>((sum, value) => sum + (value ?? 0), 0) / ticksPerSecond
  )
}
