import { writeFile } from 'node:fs/promises'
import { cpus, release, totalmem } from 'node:os'
import type { Row } from './harness.ts'

export interface SuiteReport {
  readonly name: string
  /** How it was measured, in a sentence or two. */
  readonly method: string
  readonly rows: readonly Row[]
}

/** The record in docs/: what was measured when on what, as it came out. */
export async function record(path: string, reports: readonly SuiteReport[], date: string): Promise<void> {
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.versions.node}`
  const parts = reports.map((report) => `## ${report.name}\n\n${report.method}\n\n${table(report.rows)}`)
  await writeFile(path, `${preamble}\nMeasured ${date} on ${machine}.\n\n${parts.join('\n\n')}\n`)
}

const preamble = `# Benchmarks

Written by \`make bench\`; do not edit. Every server is pinned to one core, its load to another, and the contenders take
turns round by round; the numbers are medians over the rounds. *ratio* is ours to that contender in the same run: on a
shared machine it means something where an absolute number does not. *others* is how many cores strangers used meanwhile.
`

export function table(rows: readonly Row[]): string {
  const header = ['measure', 'contender', 'median', 'best', 'CPU per operation', 'others', 'ratio']
  const lines = rows.map((row) => [
    row.measure,
    row.contender,
    `${Math.round(row.perSecond)} ${row.unit}`,
    `${Math.round(row.best)}`,
    `${row.cpuMicrosecondsPerOperation.toFixed(1)} µs`,
    row.foreignCores.toFixed(2),
    row.ratio.toFixed(2),
  ])
  return [header, header.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
