import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { record, type SuiteRecord } from './record.ts'
import { page, table } from './report.ts'

const example: SuiteRecord = {
  suite: 'dns',
  date: '2026-01-02',
  machine: '2 x a CPU',
  rounds: 1,
  secondsPerSample: 2,
  method: 'One zone, asked for everything.',
  versions: [{ name: 'Knot', version: '3.2' }],
  leftOut: [{ name: 'CoreDNS', why: 'there is no Go' }],
  measures: [
    {
      name: 'UDP',
      unit: 'queries',
      contenders: [
        {
          name: 'oooi',
          samples: [{ perSecond: 80_000, cpuMicrosecondsPerOperation: 9, lostShare: 0, foreignCores: 0.1 }],
        },
        {
          name: 'Knot',
          samples: [{ perSecond: 160_000, cpuMicrosecondsPerOperation: 4.5, lostShare: 0.001, foreignCores: 0 }],
        },
      ],
    },
  ],
}

it('the table has a row per contender, with ratios of ours to the others', () => {
  const [header, , ours, knot] = table(example.measures)
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
  expect(header?.slice(1, 3)).toEqual(['measure', 'contender'])
  expect(ours?.slice(1, -1)).toEqual(['UDP', 'oooi', '80000 queries/s', '80000', '9.00 µs', '0', '0.10', '', ''])
  expect(knot?.slice(1, -1)).toEqual([
    'UDP',
    'Knot',
    '160000 queries/s',
    '160000',
    '4.50 µs',
    '0.10 %',
    '0.00',
    '0.50',
    '2.00',
  ])
})

it('the page says how, when, on what and with what it was measured, and what was left out', () => {
  const text = page([example])
  for (const part of ['## dns', example.method, '1 round of 2 s, 2026-01-02, on 2 x a CPU. Knot 3.2.'])
    expect(text).toContain(part)
  expect(text).toContain('Left out: CoreDNS (there is no Go).')
})

it('a suite that is run again keeps the sections of the others', async () => {
  const docs = await mkdtemp(join(tmpdir(), 'oooi-record-'))
  try {
    await record(docs, { ...example, suite: 'proxy' })
    await record(docs, example)
    await record(docs, { ...example, date: '2026-03-04' })
    const text = await readFile(join(docs, 'benchmarks.md'), 'utf8')
    expect(text.match(/^## .*/gm)).toEqual(['## dns', '## proxy'])
    expect(text.match(/2026-0\d-0\d/g)).toEqual(['2026-03-04', '2026-01-02'])
  } finally {
    await rm(docs, { recursive: true })
  }
})
