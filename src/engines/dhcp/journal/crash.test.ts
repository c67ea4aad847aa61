import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { fromRecord } from '../leases/lease-record.ts'
import { temporaryDirectory } from '../testing/temporary-directory.ts'
import { journalPath, readLeases } from './open.ts'

const writer = fileURLToPath(import.meta.resolve('../testing/journal-writer.ts'))
const kills = 5

/** Runs a writer until it has stored `enough` leases, then kills it at once. What it promised, by address. */
function writeAndKill(stateDir: string, enough: number): Promise<Map<number, number>> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', writer, stateDir])
    const promised = new Map<number, number>()
    let text = ''
    let lineCount = 0
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        const [address = 0, sequence = 0] = line.split(' ').map(Number)
        promised.set(address, sequence)
      }
      lineCount += lines.length
      if (lineCount >= enough) child.kill('SIGKILL')
    })
    child.stderr.on('data', (chunk: Buffer) => reject(new Error(chunk.toString())))
    child.on('close', () => resolve(promised))
  })
}

test(`killed ${kills} times under load, no stored lease is lost`, async () => {
  const stateDir = await temporaryDirectory()
  for (let kill = 0; kill < kills; kill++) {
    // Past ten thousand records the journal is being rewritten, so some kills hit that.
    const promised = await writeAndKill(stateDir, 9_000 + kill * 700)
    expect(promised.size).toBe(2000)
    const read = await readLeases(journalPath(stateDir), 0)
    if (!read.ok) throw new Error(read.problems[0]?.message)
    const stored = new Map(
      read.value.flatMap((record) => fromRecord(record) ?? []).map((lease) => [lease.address, lease.sequence]),
    )
    const lost = [...promised].filter(([address, sequence]) => (stored.get(address) ?? -1) < sequence)
    expect(lost).toEqual([])
  }
}, 600_000)
