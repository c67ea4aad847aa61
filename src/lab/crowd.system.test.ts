import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type Lab, withLab } from './lab.ts'
import { readMetrics } from './testing.ts'

/** How often the kernel found no room for a neighbour, over all processors (the last column, in hexadecimal). */
function timesTableWasFull(): number {
  const [, ...rows] = readFileSync('/proc/net/stat/arp_cache', 'utf8').trim().split('\n')
  return rows.reduce((sum, row) => sum + Number.parseInt(row.trim().split(/\s+/).at(-1) ?? '0', 16), 0)
}

it.runIf(process.env.OOOI_E2E === 'all')(
  'two hundred VMs boot at once, and no request had to be sent twice for want of an answer',
  async () => {
    const fullBefore = timesTableWasFull()
    const options = { namespaceVms: 200, qemuVms: 0, onEvent: () => undefined, stop: new AbortController().signal }
    await withLab(options, async (lab: Lab) => {
      const reports = await lab.bootAll()
      const failures = reports.flatMap(({ name, steps }) =>
        steps.filter((step) => !step.ok).map((step) => `${name} ${step.name}: ${step.text}`),
      )
      expect(failures).toEqual([])
      expect(reports).toHaveLength(200)
      const metrics = await readMetrics(lab.oooi.stateDir)
      // A client on a busy machine may repeat its DISCOVER before it reads the answer; what is answered is answered once.
      expect(metrics('oooi_dhcp_sent_total{type="offer"}')).toBe(200)
      expect(metrics('oooi_dhcp_received_total{type="request"}')).toBe(200)
      expect(metrics('oooi_dhcp_sent_total{type="ack"}')).toBe(200)
    })
    expect(timesTableWasFull() - fullBefore).toBe(0)
  },
  600_000,
)
