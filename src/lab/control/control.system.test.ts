import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest'
import { type LabCommand, labIdOf, labOrder, runLabCommand, startLabCommand, until } from '../testing.ts'
import type { BreakDocument, HealDocument } from './control.ts'
import { failingSteps, faultEffects } from './testing.ts'

/** Each break of a running lab, through the real command: what still works, what oooi says, how it heals. */

let lab: LabCommand
let id: string

const order = <Document>(...args: string[]): Promise<Document> => labOrder<Document>(id, ...args)
const oooiLab = runLabCommand

beforeAll(async () => {
  lab = startLabCommand(['--keep', '--vms', '1', '--no-qemu', '-o', 'json'])
  id = await labIdOf(lab)
  await until('the boot', () => lab.stdout() || undefined)
  expect(JSON.parse(lab.stdout())).toMatchObject({ ok: true })
})

afterAll(async () => {
  lab.child.kill('SIGTERM')
  expect(await lab.exit).toBe(0)
})

/** Each waits for the patience of clients; the long ones are for the long run. */
const isLongRun = process.env.OOOI_E2E === 'all'
const tried = Object.entries(faultEffects).filter(([name]) => isLongRun || name === 'api')

describe('oooi lab break', () => {
  it.each(tried)('%s: the rest works, oooi says it, and it heals', async (name, { vm, pod, says }) => {
    // Another try begins with a whole lab.
    onTestFailed(() => order<void>('heal').catch(() => undefined))
    const { look } = await order<BreakDocument>('break', name)
    expect(failingSteps(look)).toEqual({ 'worker-1': vm, 'a pod': pod })
    expect(look.status.ready).toBe(false)
    expect(look.status.lines.join('\n')).toMatch(says)
    const healed = await order<HealDocument>('heal')
    expect(healed.healed.map(({ fault }) => fault)).toEqual([name])
    expect(healed.look.ok).toBe(true)
  })

  it.runIf(isLongRun)('vm: it comes back with the address it had', async () => {
    const before = await order<{ initPid?: number }>('look')
    expect(before).toMatchObject({ ok: true, vms: [{ name: 'worker-1' }, { name: 'a pod' }] })
    const { look } = await order<BreakDocument>('break', 'vm', 'worker-1')
    expect(look).toMatchObject({ vms: [{ name: 'a pod', ok: true }], status: { ready: true } })
    expect((await oooiLab('shell', 'worker-1', '--lab', id)).stderr).toContain('worker-1 is switched off')
    expect((await oooiLab('break', 'vm', '--lab', id)).stderr).toContain('vm worker-1 is broken already')
    await order<BreakDocument>('break', 'api')
    const { healed, look: after } = await order<HealDocument>('heal')
    // It boots through the rest, so that is mended first.
    expect(healed.map(({ fault, vm }) => [fault, vm])).toEqual([
      ['api', undefined],
      ['vm', 'worker-1'],
    ])
    expect(after).toMatchObject({ ok: true, vms: [{ name: 'worker-1' }, {}], broken: [] })
  })
})

it('oooi lab shell runs inside the machine', async () => {
  const { stdout, exitCode } = await oooiLab('shell', 'worker-1', '--lab', id, '--', 'hostname')
  expect([stdout, exitCode]).toEqual(['worker-1\n', 0])
  expect((await oooiLab('shell', 'worker-1', '--lab', id, '--', 'sh', '-c', 'exit 7')).exitCode).toBe(7)
})

it('oooi lab trace shows the packets that mattered, in order', async () => {
  const { stdout, exitCode } = await oooiLab('trace', 'worker-1', '--lab', id)
  expect(exitCode).toBe(0)
  const story = [
    '-> DHCP  DISCOVER',
    '<- DHCP  OFFER 192.168.100.15',
    '<- DHCP  ACK 192.168.100.15 hostname worker-1',
    'ok     dhcp: 192.168.100.15/24',
    '-> DNS   ignition.lab.example.test A?',
    '<- DNS   ignition.lab.example.test A is 192.168.100.4',
    '-> TLS   hello to 192.168.100.4:443 for ignition.lab.example.test',
    'hello to 192.168.100.4:6443 without a server name',
    'hello to 192.168.100.10:443 for console.apps.lab.example.test',
    'worker-1 booted',
  ]
  const places = story.map((line) => stdout.indexOf(line))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})

it('a VM that boots from the network is missed, with the flag that brings it', async () => {
  expect((await oooiLab('break', 'pxe', '--lab', id)).stderr).toContain('`oooi lab --pxe-vms 1` has one')
})

it('a VM that is not there is told with those there are', async () => {
  expect(await oooiLab('trace', 'worker-9', '--lab', id)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('the lab has no VM worker-9: it has worker-1'),
  })
})
