import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type Lab, withLab } from './lab.ts'
import { namespaceOf } from './plan.ts'
import { readMetrics } from './testing.ts'
import { startCapture } from './trace/capture.ts'
import { findRepeats } from './trace/repeats.ts'

/** How often the kernel found no room for a neighbour, over all processors (the last column, in hexadecimal). */
function timesTableWasFull(): number {
  const [, ...rows] = readFileSync('/proc/net/stat/arp_cache', 'utf8').trim().split('\n')
  return rows.reduce((sum, row) => sum + Number.parseInt(row.trim().split(/\s+/).at(-1) ?? '0', 16), 0)
}

/** Packets that the kernel threw away because a processor's queue was full: the host's doing, whoever sent them. */
function packetsDropped(): number {
  const rows = readFileSync('/proc/net/softnet_stat', 'utf8').trim().split('\n')
  return rows.reduce((sum, row) => sum + Number.parseInt(row.split(/\s+/)[1] ?? '0', 16), 0)
}

it.runIf(process.env.OOOI_E2E === 'all')(
  'two hundred VMs boot at once, and no request had to be sent twice for want of an answer',
  async () => {
    const fullBefore = timesTableWasFull()
    const options = { namespaceVms: 200, qemuVms: 0, onEvent: () => undefined, stop: new AbortController().signal }
    await withLab(options, async (lab: Lab) => {
      const capture = await startCapture(namespaceOf(lab.plan, 'oooi'), 'net1')
      const droppedBefore = packetsDropped()
      const reports = await lab.bootAll()
      await capture.stop()
      const dropped = packetsDropped() - droppedBefore
      const failures = reports.flatMap(({ name, steps }) =>
        steps.filter((step) => !step.ok).map((step) => `${name} ${step.name}: ${step.text}`),
      )
      expect(failures).toEqual([])
      expect(reports).toHaveLength(200)
      // Every packet at oooi's cable: DHCP, DNS, and connections. A client that the busy machine does not let read its
      // answer in time may ask again; one that was not answered by then had to, and only the host's own loss excuses it.
      const frames = capture.frames()
      expect(frames.length).toBeGreaterThan(200 * 20)
      const unanswered = findRepeats(frames).filter(({ answered }) => !answered)
      if (unanswered.length > dropped) expect(unanswered).toEqual([])
      const acknowledged = (await readMetrics(lab.oooi.stateDir))('oooi_dhcp_sent_total{type="ack"}') ?? 0
      expect(acknowledged).toBeGreaterThanOrEqual(200)
    })
    expect(timesTableWasFull() - fullBefore).toBe(0)
  },
  600_000,
)
