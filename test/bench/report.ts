import type { SuiteRecord } from './record.ts'
import { type MeasureResult, rowsOf } from './samples.ts'

const preamble = `# Benchmarks

Written by \`make bench\` from the samples in \`benchmarks/*.json\`; do not edit. Every server is pinned to one core, its
load to another, and the contenders take turns sample by sample. The numbers are medians over the rounds; \`best\` is the
best round. \`rate ratio\` and \`CPU ratio\` are ours to that contender, taken in each round and then the median: on a
shared machine they mean something where an absolute number does not. More is better in the first, less in the second.
\`others\` is how many cores strangers used meanwhile.
`

export function page(records: readonly SuiteRecord[]): string {
  return [preamble, ...records.map(section)].join('\n')
}

function section(record: SuiteRecord): string {
  const versions = record.versions.map(({ name, version }) => `${name} ${version}`).join(', ')
  const leftOut = record.leftOut.map(({ name, why }) => `Left out: ${name} (${why}).\n`)
  const rounds = record.rounds === 1 ? '1 round' : `${record.rounds} rounds`
  return [
    `## ${record.suite}\n`,
    `${record.method}\n`,
    `${rounds} of ${record.secondsPerSample} s, ${record.date}, on ${record.machine}. ${versions}.\n`,
    ...leftOut,
    `${table(record.measures)}\n`,
  ].join('\n')
}

/** In Markdown, columns aligned, so that it reads well on a terminal too. */
export function table(measures: readonly MeasureResult[]): string {
  const header = [
    'measure',
    'contender',
    'rate',
    'best',
    'CPU per operation',
    'lost',
    'others',
    'rate ratio',
    'CPU ratio',
  ]
  const lines = measures
    .flatMap(rowsOf)
    .map((row) => [
      row.measure,
      row.contender,
      `${quantity(row.perSecond)} ${row.unit}/s`,
      quantity(row.best),
      number(row.cpuMicrosecondsPerOperation, (value) => `${quantity(value)} µs`),
      number(row.lostShare, (value) => (value === 0 ? '0' : `${(value * 100).toFixed(2)} %`)),
      number(row.foreignCores, (value) => value.toFixed(2)),
      number(row.rateRatio, (value) => value.toFixed(2)),
      number(row.cpuRatio, (value) => value.toFixed(2)),
    ])
  const widths = header.map((title, column) =>
    Math.max(...[header, ...lines].map((cells) => cells[column]?.length ?? title.length)),
  )
  const rule = widths.map((width) => '-'.repeat(width))
  return [header, rule, ...lines]
    .map((cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
    .join('\n')
}

function number(value: number | undefined, format: (value: number) => string): string {
  return value === undefined || !Number.isFinite(value) ? '' : format(value)
}

/** Three digits are as many as a shared machine can justify; whole numbers are written out. */
function quantity(value: number): string {
  if (!Number.isFinite(value)) return ''
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3)
}
