import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { labRoot, ledgerFile } from './ledger/ledger.ts'
import { processesIn } from './ledger/namespaces.ts'
import { parseLedger, removeRemains } from './ledger/remains.ts'
import { whyNoQemu } from './qemu/image.ts'
import { type LabCommand, labIdOf, networksOf, runLabCommand, startCommand, tracesOf, until } from './testing.ts'

/** A lab that is killed at any moment is taken away by the next run; this is what every run begins with. */

const checkout = join(import.meta.dirname, '..', '..')
const isLongRun = process.env.OOOI_E2E === 'all'
const qemu = isLongRun && whyNoQemu() === undefined ? ['--qemu-vms', '1', '--pxe-vms', '1'] : ['--no-qemu']
const args = ['--vms', '3', ...qemu, '--keep', '-o', 'json']

/** Whatever it would leave where temporary files are. */
let temporary = ''
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'lab-killed-'))
})
afterEach(() => rmSync(temporary, { recursive: true }))

function startLab(options: readonly string[] = args): LabCommand {
  return startCommand(['env', `TMPDIR=${temporary}`, join(checkout, 'bin', 'oooi'), 'lab', ...options])
}

/** At first it makes networks, then it starts servers, oooi, machines. */
const moments = isLongRun ? [0, 20, 60, 120, 250, 500, 900, 1400, 2000, 3000, 6000, 12_000] : [30]

/** Removes what is left until the lab is gone: its processes die with it, but in the kernel's own time. */
async function expectGone(id: string): Promise<void> {
  const networks = networksOf(id)
  await until(`the removal of ${id}`, async () => {
    await removeRemains(Date.now())
    return existsSync(join(labRoot, id)) ? undefined : true
  })
  expect(await tracesOf(id)).toEqual([])
  expect(processesIn(networks)).toEqual([])
}

it.each(moments)('killed %i ms after its first file', async (afterMs) => {
  const lab = startLab()
  const id = await labIdOf(lab)
  await sleep(afterMs)
  lab.child.kill('SIGKILL')
  await lab.exit
  await expectGone(id)
  expect(readdirSync(temporary)).toEqual([])
})

it('killed while it makes the network of many VMs', async () => {
  const lab = startLab(['--vms', '200', '--no-qemu', '--once'])
  const id = await labIdOf(lab)
  await until('the first namespaces', () => (networksOf(id).length > 5 ? true : undefined))
  lab.child.kill('SIGKILL')
  await lab.exit
  await expectGone(id)
})

it.each(isLongRun ? [0, 50, 150, 400, 800] : [100])('killed %i ms after it began to clean up', async (afterMs) => {
  const lab = startLab()
  const id = await labIdOf(lab)
  await until('its VMs', () => (lab.stderr().includes('ok   dhcp') ? true : undefined))
  lab.child.kill('SIGTERM')
  await sleep(afterMs)
  lab.child.kill('SIGKILL')
  await lab.exit
  await expectGone(id)
})

it.runIf(isLongRun)('one whose parts are killed says so, and still ends in order', async () => {
  const lab = startLab(['--vms', '1', '--no-qemu', '--keep', '-o', 'json'])
  const id = await labIdOf(lab)
  await until('its VM', () => lab.stdout() || undefined)
  const { things } = parseLedger(readFileSync(join(labRoot, id, ledgerFile), 'utf8'))
  const parts = things.filter((thing) => thing.kind === 'process')
  expect(parts.map(({ what }) => what).sort()).toEqual(['apps', 'control', 'oooi', 'worker-1'])
  for (const part of parts) process.kill(part.process.pid, 'SIGKILL')
  await until('the note', () => (lab.stderr().includes('oooi has ended (SIGKILL)') ? true : undefined))
  const look = await runLabCommand('look', '--lab', id)
  expect(look.exitCode).toBe(1)
  expect(look.stdout).toContain('worker-1 lease: the machine ended')
  lab.child.kill('SIGTERM')
  expect(await lab.exit).toBe(0)
  await expectGone(id)
})

it.runIf(isLongRun)('two in a row, the second while it cleans up after the first', async () => {
  const first = startLab()
  const firstId = await labIdOf(first)
  await until('its VMs', () => (first.stderr().includes('ok   dhcp') ? true : undefined))
  first.child.kill('SIGKILL')
  await first.exit
  const second = startLab()
  // Its own first file comes when it is done with the other's; namespaces go before that.
  const namespaces = networksOf(firstId).length
  await until('the clean-up', () => (networksOf(firstId).length < namespaces ? true : undefined))
  second.child.kill('SIGKILL')
  await second.exit
  await expectGone(firstId)
})
