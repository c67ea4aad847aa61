import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BreakDocument, HealDocument } from '../control/control.ts'
import type { Look } from '../control/look.ts'
import { whyNoQemu } from '../qemu/image.ts'
import { type LabCommand, labIdOf, labOrder, runLabCommand, startLabCommand, tracesOf, until } from '../testing.ts'
import type { TraceDocument } from '../trace/trace.ts'
import { bootSteps, finalStep } from '../vm/steps.ts'

/** iPXE in a machine without KVM waits long for an IPv6 router that there is none of, each time. */
const isLongRun = process.env.OOOI_E2E === 'all' && whyNoQemu() === undefined

describe.runIf(isLongRun)('a VM with nothing but a network card', () => {
  let lab: LabCommand
  let id: string

  beforeAll(async () => {
    lab = startLabCommand(['--keep', '--vms', '1', '--qemu-vms', '0', '--pxe-vms', '1', '-o', 'json'])
    id = await labIdOf(lab)
    await until('the boot', () => lab.stdout() || undefined, 240_000)
  }, 250_000)

  afterAll(async () => {
    lab.child.kill('SIGTERM')
    expect(await lab.exit).toBe(0)
    expect(await tracesOf(id)).toEqual([])
  })

  it('boots by what DHCP tells its firmware, then as every VM', () => {
    const { ok, vms } = JSON.parse(lab.stdout())
    expect(ok).toBe(true)
    expect(vms[1]).toMatchObject({ name: 'worker-pxe', client: 'pxe', ok: true })
    expect(vms[1].steps.map((step: { name: string }) => step.name)).toEqual(['pxe', ...bootSteps, finalStep])
    for (const said of ['Filename: boot.ipxe', 'tftp://192.168.100.5/boot.ipxe... ok', '/vmlinuz... ok']) {
      expect(lab.stderr()).toContain(
        `worker-pxe     iPXE  ${said.startsWith('/') ? 'http://192.168.100.5' : ''}${said}`,
      )
    }
  })

  it('is traced with both rounds of DHCP, that of the firmware and that of the system', async () => {
    const { ok, entries } = await labOrder<TraceDocument>(id, 'trace', 'worker-pxe')
    expect(ok).toBe(true)
    const told = entries.map((entry) =>
      entry.type === 'step' ? `step ${entry.name}` : `${entry.protocol} ${entry.text}`,
    )
    const story = [
      'DHCP DISCOVER from iPXE architecture (93) 0, x86 with a BIOS',
      /^DHCP OFFER (\S+) hostname worker-pxe boot server \(66\) 192.168.100.5 boot file \(67\) boot.ipxe$/,
      /^DHCP ACK (\S+) hostname worker-pxe boot server \(66\) 192.168.100.5 boot file \(67\) boot.ipxe$/,
      'TFTP read boot.ipxe of 192.168.100.5',
      'HTTP GET /vmlinuz of 192.168.100.5',
      'HTTP GET /worker-pxe.cpio of 192.168.100.5',
      'step pxe',
      'DHCP DISCOVER',
      /^DHCP ACK (\S+) hostname worker-pxe$/,
      'step dhcp',
      'step isolation',
    ]
    const places = story.map((wanted) =>
      told.findIndex((line) => (typeof wanted === 'string' ? line === wanted : wanted.test(line))),
    )
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  }, 240_000)

  it('has a shell at its second serial port, though its kernel is its own', async () => {
    const inside = (...command: string[]) => runLabCommand('shell', 'worker-pxe', '--lab', id, '--', ...command)
    expect(await inside('hostname')).toMatchObject({ exitCode: 0, stdout: 'worker-pxe\n' })
    expect(await inside('sh', '-c', "echo it\\'s; exit 7")).toMatchObject({ exitCode: 7, stdout: "it's\n" })
  }, 60_000)

  it('break pxe: it says what it did not find, and the others go on; it heals', async () => {
    const { look } = await labOrder<BreakDocument>(id, 'break', 'pxe')
    expect(look.vms.map(({ name, ok }) => `${name} ${ok}`)).toEqual(['worker-1 true', 'worker-pxe false', 'a pod true'])
    expect(look.vms[1]?.steps).toMatchObject([
      {
        name: 'pxe',
        ok: false,
        text: expect.stringMatching(/^tftp:\/\/192\.168\.100\.5\/boot\.ipxe\.\.\. No such file/),
      },
    ])
    // oooi did its part, and what it does not serve it does not call broken.
    expect(look.status.ready).toBe(true)
    const { look: healed } = await labOrder<HealDocument>(id, 'heal')
    expect(healed).toMatchObject({ ok: true } satisfies Partial<Look>)
  }, 300_000)

  it('a VM that boots otherwise cannot be broken so', async () => {
    expect((await runLabCommand('break', 'pxe', 'worker-1', '--lab', id)).stderr).toContain(
      'there is no VM that boots from the network and is called worker-1: there is worker-pxe',
    )
  })
})
