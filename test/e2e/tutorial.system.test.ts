import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LabCommand, labIdOf, runLabCommand, startLabCommand, until } from '../../src/lab/testing.ts'

/** The commands of the tutorial, run in its order; what it shows must be what they print. */

const tutorial = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'tutorial', 'lab.md'), 'utf8')
const blocks = [...tutorial.matchAll(/```console\n\$ bin\/oooi lab ([^\n]*)\n([\s\S]*?)```/g)].map(
  ([, command = '', output = '']) => ({ args: command.split(' '), output }),
)

/** Times, ids and counts differ from run to run, and with them the width of columns. */
function comparable(text: string): string[] {
  return text
    .replace(/oooi-[0-9a-f]{4}/g, 'ID')
    .replace(/\b\d+(\.\d+)? (ms|s|milliseconds)\b/g, 'TIME')
    .replace(/(queries|openConnections|poolUsage)=\d+/g, '$1=N')
    .split('\n')
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter((line) => line !== '')
}

describe.runIf(process.env.OOOI_E2E === 'all')('the tutorial', () => {
  let lab: LabCommand
  let id: string

  beforeAll(async () => {
    lab = startLabCommand(blocks[0]?.args ?? [])
    id = await labIdOf(lab)
    await until('the boot', () => lab.stdout().includes('stays up') || undefined)
  })

  afterAll(async () => {
    lab.child.kill('SIGTERM')
    await lab.exit
  })

  it('begins with a lab that boots', () => {
    const printed = comparable(lab.stdout())
    expect(comparable(blocks[0]?.output ?? '').filter((line) => !printed.includes(line))).toEqual([])
  })

  it.each(blocks.slice(1))('$args', async ({ args, output }) => {
    const [first = '', ...rest] = args
    const { stdout } = await runLabCommand(first, '--lab', id, ...rest)
    const printed = comparable(stdout)
    expect(comparable(output).filter((line) => !printed.includes(line))).toEqual([])
  })
})
