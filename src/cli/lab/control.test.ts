import { describe, expect, it } from 'vitest'
import type { VmReport } from '../../lab/events.ts'
import { breakText, healText, lookText, traceText } from './control-report.ts'

const step = (name: string, ok: boolean, text = '') => ({ name, ok, ms: 1, text })
const vm: VmReport = {
  name: 'worker-1',
  client: 'dhclient',
  ok: false,
  steps: [step('lease', true), step('api', false, 'curl: (28) timed out')],
  console: [],
}
const look = {
  ok: false,
  vms: [vm],
  status: { ready: false, troubled: true, lines: ['proxy ready', 'no target [BackendUnreachable]'] },
  broken: ['api'],
}
const fault = { fault: 'api' as const, does: 'the API is ended', survives: 'the rest', heals: 'by itself' }

describe('what a break shows', () => {
  it('says what was done, what works for whom, why not, and what oooi says', () => {
    expect(breakText({ ...fault, look }).split('\n')).toEqual([
      'Broken: the API is ended.',
      'Should go on: the rest.',
      'Heals: by itself.',
      '',
      expect.stringMatching(/^VM +LEASE +RESOLVER/),
      expect.stringMatching(/^worker-1 +ok +- +- +FAILS/),
      '  worker-1 api: curl: (28) timed out',
      '',
      'oooi says:',
      '  proxy ready',
      '  no target [BackendUnreachable]',
      '',
    ])
  })

  it('says how it healed', () => {
    expect(healText({ healed: [fault], seconds: 2.5, look: { ...look, ok: true } })).toMatch(
      /^Mended: api; all works again after 2.5 s/,
    )
    expect(healText({ healed: [], seconds: 60, look })).toMatch(/^Nothing was broken; after 60 s not all works/)
    expect(healText({ healed: [], seconds: 3, look: { ...look, ok: true } })).toMatch(
      /^Nothing was broken; all works\.\n/,
    )
    const off = { ...fault, fault: 'vm' as const, vm: 'worker-2' }
    expect(healText({ healed: [off, fault], seconds: 3, look })).toMatch(/^Mended: vm worker-2, api; /)
  })

  it('names those who fail alike in one line', () => {
    const failing = (name: string, ms: number) => ({
      ...vm,
      name,
      steps: [step('api', false, `curl: timed out after ${ms} milliseconds`)],
    })
    const vms = ['worker-1', 'worker-2', 'worker-3', 'worker-4', 'worker-5'].map((name, index) =>
      failing(name, 3000 + index),
    )
    const text = lookText({ ...look, vms })
    expect(text).toMatch(/^Broken: api; `oooi lab heal` mends it\.\n\nVM /)
    expect(text).toContain(
      '\n  worker-1, worker-2, worker-3 and 2 more api: curl: timed out after 3000 milliseconds\n\n',
    )
  })
})

it('a trace has packets and steps by time', () => {
  const entries = [
    { ms: 5, type: 'packet', direction: 'out', protocol: 'DHCP', text: 'DISCOVER' },
    { ms: 90, type: 'step', name: 'dhcp', ok: true, text: '192.168.100.15/24' },
  ] as const
  expect(traceText({ vm: 'worker-1', ok: true, entries })).toBe(
    '    5 ms  -> DHCP  DISCOVER\n   90 ms    ok     dhcp: 192.168.100.15/24\nworker-1 booted\n',
  )
})
