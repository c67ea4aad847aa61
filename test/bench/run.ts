import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { removeRemains } from '../../src/lab/ledger/remains.ts'
import { readArguments } from './arguments.ts'
import { withBench } from './bench.ts'
import type { Pace } from './harness.ts'
import { checkout } from './peers/version.ts'
import { record, thisMachine } from './record.ts'
import { table } from './report.ts'
import { suites } from './suites.ts'

const usage = `usage: make bench ARGS="[suite ...] [--rounds N] [--seconds S] [--quick]"

${suites.map((suite) => `  ${suite.name.padEnd(9)} ${suite.about}`).join('\n')}

  --rounds N   how often the contenders take turns (default 7)
  --seconds S  how long each sample lasts (default 2.5)
  --quick      two short rounds to see that it works; nothing is recorded
`

const exit = { ok: 0, failed: 1, usage: 2, host: 3, stopped: 130 } as const

async function main(args: readonly string[], stop: AbortSignal): Promise<number> {
  try {
    const names = suites.map(({ name }) => name)
    const wish = readArguments(args, names)
    if (wish.help) return say(usage, exit.ok)
    if (process.getuid?.() !== 0) return say('benchmarks make network namespaces and need root\n', exit.host)
    if (availableParallelism() < 2) return say('benchmarks need two cores: server and load\n', exit.host)
    for (const id of await removeRemains(Date.now())) say(`cleaned up after ${id}, which was killed\n`)
    let failures = 0
    for (const name of wish.suites) {
      const succeeded = await measure(name, wish.pace, !wish.quick, stop)
      if (stop.aborted) return say('stopped; everything is taken away\n', exit.stopped)
      if (!succeeded) failures += 1
    }
    return failures === 0 ? exit.ok : exit.failed
  } catch (error) {
    return say(`${messageOf(error)}\n\n${usage}`, exit.usage)
  }
}

async function measure(name: string, pace: Pace, isRecorded: boolean, stop: AbortSignal): Promise<boolean> {
  const suite = suites.find((candidate) => candidate.name === name)
  if (suite === undefined) return false
  try {
    const progress = (line: string) => void say(`${name}: ${line}\n`)
    const result = await withBench({ pace, say: progress, stop }, (bench) => suite.run(bench))
    process.stdout.write(`\n${name}\n\n${table(result.measures)}\n\n`)
    if (!isRecorded) return true
    await record(join(checkout, 'docs'), {
      suite: name,
      date: new Date().toISOString().slice(0, 10),
      machine: thisMachine(),
      rounds: pace.rounds,
      secondsPerSample: pace.seconds,
      method: result.method,
      versions: result.contenders.map((contender) => ({ name: contender.name, version: contender.version })),
      leftOut: result.leftOut,
      measures: result.measures,
    })
    return true
  } catch (error) {
    if (!stop.aborted) say(`${name}: ${messageOf(error)}\n`)
    return false
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function say(text: string, code = 0): number {
  process.stderr.write(text)
  return code
}

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
process.exitCode = await main(process.argv.slice(2), stopping.signal)
