import { expect, it } from 'vitest'
import { dnsperfCommand, parseDnsperf } from './dnsperf.ts'

const output = `DNS Performance Testing Tool
Version 2.10.0

[Status] Command line: dnsperf -s 10.77.0.1
[Status] Testing complete (time limit)

Statistics:

  Queries sent:         200000
  Queries completed:    199900 (99.95%)
  Queries lost:         100 (0.05%)

  Response codes:       NOERROR 179000 (89.54%), SERVFAIL 910 (0.46%), NXDOMAIN 19990 (10.00%)
  Average packet size:  request 48, response 74
  Run time (s):         2.500106
  Queries per second:   79956.610

  Average Latency (s):  0.001234 (min 0.000040, max 0.021000)
`

it('counts answers, and what was lost of what was sent', () => {
  expect(parseDnsperf(output)).toMatchObject({ operations: 199_900, perSecond: 79_956.61, lostShare: 0.0005 })
})

it('tells names that do not exist from errors', () => {
  expect(parseDnsperf(output)).toMatchObject({ nonexistentShare: 0.1, otherErrors: 910 })
})

it('says so when dnsperf did not run', () => {
  expect(() => parseDnsperf('Error: unable to connect')).toThrow('Queries sent')
})

it('keeps a hundred questions under way, or asks at a rate', () => {
  const load = { queriesFile: 'q', seconds: 2, transport: 'udp' } as const
  expect(dnsperfCommand('10.77.0.1', load).join(' ')).toMatch(/-m udp .*-q 100$/)
  expect(dnsperfCommand('10.77.0.1', { ...load, queriesPerSecond: 60_000 })).toContain('60000')
})
