import { cpuSeconds, loadCpuSeconds, machineCpuSeconds } from './cpu.ts'
import { type MeasureResult, rotate, type Sample } from './samples.ts'

/** A server under test. */
export interface Contender {
  readonly name: string
  readonly version: string
  /** Serves when it returns. */
  start(): Promise<RunningContender>
}

export interface RunningContender {
  /** Processes whose CPU time is charged to it. */
  readonly pids: readonly number[]
  stop(): Promise<void>
}

/** What a load achieved. All operations count for the CPU time, also those before the rate was reached. */
export interface Outcome {
  readonly operations: number
  readonly perSecond: number
  /** Share of what was begun that was never answered. */
  readonly lostShare: number
}

/** One kind of load. */
export interface Measure<Target extends Contender> {
  readonly name: string
  readonly unit: string
  /** Who can do this, ours first. */
  readonly contenders: readonly Target[]
  run(contender: Target, seconds: number): Promise<Outcome>
}

export interface Plan<Target extends Contender> {
  readonly measures: readonly Measure<Target>[]
  /** Processes that belong to the load and outlive a sample, such as an upstream. */
  readonly loadPids?: readonly number[]
  /** Give each sample a server that has not served yet. Else all run at once, and the first round is not counted. */
  readonly freshServers?: true
}

export interface Pace {
  readonly rounds: number
  /** How long each sample lasts. */
  readonly seconds: number
}

/** Commands that pin a process: servers and generators never share a core. */
export const pinServer = ['taskset', '-c', '0'] as const
export const pinLoad = ['taskset', '-c', '1'] as const

type Say = (line: string) => void

/** Contenders take turns sample by sample, so that a busy minute of the machine hits each of them. */
export async function runPlan<Target extends Contender>(
  plan: Plan<Target>,
  pace: Pace,
  say: Say,
): Promise<MeasureResult[]> {
  const samples = plan.measures.map((measure) => measure.contenders.map((): Sample[] => []))
  const running = new Map<Target, RunningContender>()
  const warmUp = plan.freshServers ? 0 : 1
  try {
    for (let round = 0; round < pace.rounds + warmUp; round++) {
      for (const [index, measure] of plan.measures.entries()) {
        for (const [place, contender] of rotate([...measure.contenders.entries()], round)) {
          const server = running.get(contender) ?? (await contender.start())
          running.set(contender, server)
          const sample = await takeSample(measure, contender, [...server.pids], plan.loadPids ?? [], pace.seconds)
          if (plan.freshServers) {
            running.delete(contender)
            await server.stop()
          }
          const counts = round >= warmUp
          if (counts) samples[index]?.[place]?.push(sample)
          const label = counts ? `${round + 1 - warmUp}/${pace.rounds}` : 'warm-up'
          say(`${label} ${measure.name}, ${contender.name}: ${describe(sample, measure.unit)}`)
        }
      }
    }
  } finally {
    for (const server of running.values()) await server.stop()
  }
  return plan.measures.map(({ name, unit, contenders }, index) => ({
    name,
    unit,
    contenders: contenders.map((contender, place) => ({
      name: contender.name,
      samples: samples[index]?.[place] ?? [],
    })),
  }))
}

async function takeSample<Target extends Contender>(
  measure: Measure<Target>,
  contender: Target,
  pids: readonly number[],
  loadPids: readonly number[],
  seconds: number,
): Promise<Sample> {
  const read = async () => ({
    atMs: performance.now(),
    own: await cpuSeconds(pids),
    load: (await loadCpuSeconds()) + (await cpuSeconds(loadPids)),
    machine: await machineCpuSeconds(),
  })
  const before = await read()
  const { operations, perSecond, lostShare } = await measure.run(contender, seconds)
  const after = await read()
  const own = after.own - before.own
  const foreign = after.machine - before.machine - own - (after.load - before.load)
  return {
    perSecond,
    lostShare,
    foreignCores: Math.max(0, foreign / ((after.atMs - before.atMs) / 1000)),
    ...(pids.length > 0 && operations > 0 && { cpuMicrosecondsPerOperation: (own * 1e6) / operations }),
  }
}

function describe(sample: Sample, unit: string): string {
  const rate = sample.perSecond < 100 ? sample.perSecond.toPrecision(3) : Math.round(sample.perSecond)
  const lost = sample.lostShare > 0 ? `, ${(sample.lostShare * 100).toFixed(2)} % lost` : ''
  return `${rate} ${unit}/s${lost}`
}
