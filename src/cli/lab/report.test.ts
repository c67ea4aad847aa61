import { describe, expect, it } from 'vitest'
import type { LabEvent, VmReport } from '../../lab/events.ts'
import { describeEvent, LabProgress } from './progress.ts'
import { allBooted, labDocument, labFailures, labTable } from './report.ts'

const booted: VmReport = {
  name: 'worker-1',
  client: 'dhclient',
  ok: true,
  steps: [
    { name: 'dhcp', ok: true, ms: 120, text: '192.168.100.15/24 via 192.168.100.1' },
    { name: 'ignition', ok: true, ms: 40, text: 'https://ignition.lab.example.test/ignition' },
  ],
  console: [],
}
const stuck: VmReport = {
  name: 'worker-qemu',
  client: 'qemu',
  ok: false,
  steps: [{ name: 'dhcp', ok: false, ms: 30_000, text: 'no lease' }],
  console: ['udhcpc: no lease, failing'],
}

describe('the report of a lab', () => {
  it('is a document for programs', () => {
    expect(labDocument([booted, stuck])).toEqual({
      ok: false,
      vms: [
        {
          name: 'worker-1',
          client: 'dhclient',
          ok: true,
          steps: [
            { name: 'dhcp', ok: true, ms: 120 },
            { name: 'ignition', ok: true, ms: 40 },
          ],
        },
        {
          name: 'worker-qemu',
          client: 'qemu',
          ok: false,
          steps: [{ name: 'dhcp', ok: false, ms: 30_000, error: 'no lease' }],
        },
      ],
    })
  })

  it('is a table for people', () => {
    expect(labTable([booted, stuck])).toBe(
      `VM           CLIENT    ADDRESS         DHCP    IGNITION  API  KONNECTIVITY  APPS  STEPS  RESULT
worker-1     dhclient  192.168.100.15  120 ms  40 ms     -    -             -     2/2    booted
worker-qemu  qemu      -               -       -         -    -             -     0/1    FAILED
`,
    )
  })

  it('has a column for network boot where a VM did that', () => {
    const pxe = {
      ...booted,
      name: 'worker-pxe',
      steps: [{ name: 'pxe', ok: true, ms: 20_000, text: '' }, ...booted.steps],
    }
    expect(labTable([booted, pxe])).toMatch(
      /^VM +CLIENT +ADDRESS +PXE +DHCP.*\nworker-1 .*\.15 +- +120 ms.*\nworker-pxe .*\.15 +20000 ms +120 ms/,
    )
  })

  it('names what went wrong with the end of the console', () => {
    expect(labFailures([booted, stuck])).toBe(
      '\nworker-qemu (qemu) did not boot:\n  dhcp: no lease\n  | udhcpc: no lease, failing\n',
    )
  })

  it('is a success only if there was a machine and every one booted', () => {
    expect([allBooted([booted]), allBooted([booted, stuck]), allBooted([])]).toEqual([true, false, false])
  })
})

describe('the progress of a lab', () => {
  const step: LabEvent = {
    type: 'step',
    vm: { name: 'worker-1', client: 'dhclient', mac: '02:00:6f:6f:00:01' },
    step: { name: 'dhcp', ok: true, ms: 120, text: '192.168.100.15/24' },
  }

  it('is one line for each thing that is worth one', () => {
    expect(describeEvent(step)).toEqual({
      what: 'worker-1',
      text: 'ok   dhcp                120 ms  192.168.100.15/24',
    })
    expect(describeEvent({ type: 'begun', what: 'oooi' })).toBeUndefined()
    expect(describeEvent({ type: 'note', text: 'a note' })).toEqual({ what: 'note', text: 'a note' })
    expect(describeEvent({ type: 'note', what: 'worker-pxe', text: 'iPXE' })).toEqual({
      what: 'worker-pxe',
      text: 'iPXE',
    })
  })

  it('says what it waits for when it takes long', async () => {
    const lines: string[] = []
    let nowMs = 0
    const progress = new LabProgress(
      (text) => lines.push(text),
      () => nowMs,
      10,
    )
    progress.show({ type: 'begun', what: 'kernel' })
    nowMs = 12_000
    await expect.poll(() => lines.length).toBeGreaterThan(0)
    progress.end()
    expect(lines[0]).toBe(' 12.0 s  ...            waiting for kernel (12 s)\n')
  })
})
