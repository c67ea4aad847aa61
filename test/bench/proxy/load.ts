import { z } from 'zod'
import type { Outcome } from '../harness.ts'

export type LoadMode = 'connect' | 'echo' | 'download' | 'upload' | 'slow-download' | 'slow-upload'

const report = z.object({
  operations: z.number(),
  bytes: z.number(),
  wrong: z.number(),
  failures: z.number(),
  seconds: z.number(),
})

export type LoadReport = z.infer<typeof report>

/** The one line the generator prints. Throws where it is not there, and where a single byte arrived wrong. */
export function parseLoad(output: string, who: string): LoadReport {
  const line = output.split('\n').find((text) => text.startsWith('{'))
  const parsed = report.safeParse(line === undefined ? undefined : JSON.parse(line))
  if (!parsed.success) throw new Error(`the load on ${who} did not run: ${output.trim().slice(-500)}`)
  if (parsed.data.wrong > 0) throw new Error(`${who} corrupts data: ${parsed.data.wrong} bytes arrived wrong`)
  return parsed.data
}

/** Bulk is counted in gigabits, all else in operations. */
export function outcomeOf(mode: LoadMode, { operations, bytes, failures, seconds }: LoadReport): Outcome {
  const isBulk = mode === 'download' || mode === 'upload'
  const done = isBulk ? (bytes * 8) / 1e9 : operations
  return { operations: done, perSecond: done / seconds, lostShare: failures / Math.max(1, operations + failures) }
}
