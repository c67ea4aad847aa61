import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { page } from './report.ts'

const sample = z.object({
  perSecond: z.number(),
  cpuMicrosecondsPerOperation: z.number().exactOptional(),
  lostShare: z.number(),
  foreignCores: z.number(),
})

const suiteRecord = z.object({
  suite: z.string(),
  date: z.string(),
  machine: z.string(),
  rounds: z.number(),
  secondsPerSample: z.number(),
  /** How it was measured. */
  method: z.string(),
  versions: z.array(z.object({ name: z.string(), version: z.string() })).readonly(),
  /** Peers that could not be had, and why. */
  leftOut: z.array(z.object({ name: z.string(), why: z.string() })).readonly(),
  measures: z
    .array(
      z.object({
        name: z.string(),
        unit: z.string(),
        contenders: z.array(z.object({ name: z.string(), samples: z.array(sample).readonly() })).readonly(),
      }),
    )
    .readonly(),
})

/** All that is kept of one run of a suite: every sample, and what it was taken on and with. */
export type SuiteRecord = z.infer<typeof suiteRecord>

/** Keeps the samples in `docs/benchmarks/<suite>.json` and makes the page anew from all suites that are kept there. */
export async function record(docs: string, fresh: SuiteRecord): Promise<void> {
  const folder = join(docs, 'benchmarks')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${fresh.suite}.json`), `${JSON.stringify(fresh, null, 2)}\n`)
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()
  const records = await Promise.all(names.map((name) => readRecord(join(folder, name))))
  await writeFile(join(docs, 'benchmarks.md'), page(records))
}

async function readRecord(path: string): Promise<SuiteRecord> {
  try {
    return suiteRecord.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    throw new Error(`${path} is no record of a benchmark; delete it or run its suite again: ${String(error)}`)
  }
}

export function thisMachine(): string {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  return `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown'}, ${memory}, Linux ${release()}`
}
