import { expect, test } from 'vitest'
import { type KnownLease, type Sights, traceBoots } from './boots.ts'
import { stuckAfterMs, summarize } from './summary.ts'

const mac = '02:00:00:00:00:01'
const address = '192.168.100.20'
const worker = { name: 'worker-1', macs: [mac], sinceMs: 1000 }
const lease: KnownLease = { address, mac, vmName: 'worker-1', state: 'Active', startMs: 2000 }
const nothing: Sights = { machines: [worker], leases: [], refusals: [], dns: [], proxy: [] }
const saw = (reached: string[], failing: { name: string; error: string }[] = []) => [
  { address, reached, failing, changedMs: 3000 },
]

test.each<[string, Partial<Sights>, string, RegExp]>([
  ['nothing was heard of it', {}, 'NoAddress', /never asked for an address/],
  ['it was refused', { refusals: [{ mac, reason: 'PoolExhausted' }] }, 'NoAddress', /refused \(PoolExhausted\)/],
  ['its lease is over', { leases: [{ ...lease, state: 'Expired' }] }, 'NoAddress', /never asked/],
  ['it has an address', { leases: [lease], dnsAddress: '192.168.100.3' }, 'Leased', /DNS server 192\.168\.100\.3/],
  ['DNS does not tell', { leases: [lease], dns: undefined }, 'Leased', /^$/],
  [
    'it asked for names',
    { leases: [lease], dns: saw(['ignition.c1']), proxyAddress: '192.168.100.10' },
    'Resolved',
    /ignition\.c1 and never came to the proxy 192\.168\.100\.10/,
  ],
  ['the proxy does not tell', { leases: [lease], dns: saw(['api.c1']), proxy: undefined }, 'Resolved', /^$/],
  [
    'a backend is down',
    { leases: [lease], proxy: saw([], [{ name: 'ignition-server', error: 'connection refused' }]) },
    'Connecting',
    /asks for ignition-server, which the proxy cannot reach \(connection refused\)/,
  ],
  ['it has its ignition', { leases: [lease], proxy: saw(['ignition-server']) }, 'Connecting', /never the API server/],
  ['it is there', { leases: [lease], proxy: saw(['kube-apiserver', 'ignition-server']) }, 'Connected', /^$/],
  [
    'it is there, and something else that it wants is down',
    { leases: [lease], proxy: saw(['kube-apiserver'], [{ name: 'mirror', error: '' }]) },
    'Connected',
    /^$/,
  ],
  [
    'it is there, but konnectivity is down',
    { leases: [lease], proxy: saw(['kube-apiserver'], [{ name: 'konnectivity-server', error: '' }]) },
    'Connecting',
    /konnectivity-server/,
  ],
])('%s', (_what, seen, stage, hint) => {
  const [boot] = traceBoots({ ...nothing, ...seen })
  expect(boot).toMatchObject({ name: 'worker-1', mac, stage })
  expect(boot?.hint).toMatch(hint)
})

test('a machine with several cards is one; a lease of a machine that is not listed counts; a stranger only where all do', () => {
  const cards = { name: 'worker-2', macs: ['02:00:00:00:00:0A', '02:00:00:00:00:0b'] }
  const leases: KnownLease[] = [
    { address: '192.168.100.30', mac: '02:00:00:00:00:0b', state: 'Active', startMs: 0 },
    { address: '192.168.100.31', mac: '02:00:00:00:00:0c', vmName: 'reserved', state: 'Active', startMs: 0 },
    { address: '192.168.100.32', mac: '02:00:00:00:00:0d', state: 'Active', startMs: 0 },
  ]
  const names = (more: Partial<Sights>) =>
    traceBoots({ ...nothing, machines: [cards], leases, ...more }).map(({ name, stage }) => `${name} ${stage}`)
  expect(names({})).toEqual(['reserved Leased', 'worker-2 Leased'])
  expect(names({ countsStrangers: true })).toEqual(['02:00:00:00:00:0d Leased', 'reserved Leased', 'worker-2 Leased'])
})

test('stuck is who has not moved for five minutes, and stays so though the lease was renewed', () => {
  const boots = traceBoots({ ...nothing, leases: [lease] })
  const early = summarize(boots, [], 2000 + stuckAfterMs - 1)
  expect(early).toMatchObject({
    known: 1,
    leased: 1,
    resolved: 0,
    connected: 0,
    stuck: [],
    nextMs: 2000 + stuckAfterMs,
  })
  const late = summarize(boots, [], 2000 + stuckAfterMs)
  expect(late.stuck).toMatchObject([{ name: 'worker-1', address, stage: 'Leased', sinceMs: 2000 }])
  expect(late.nextMs).toBeUndefined()
  const renewed = traceBoots({ ...nothing, leases: [{ ...lease, startMs: 900_000 }] })
  expect(summarize(renewed, late.stuck, 900_001).stuck).toMatchObject([{ sinceMs: 2000 }])
  const further = traceBoots({ ...nothing, leases: [lease], dns: saw(['api.c1']) })
  expect(summarize(further, late.stuck, 3000 + stuckAfterMs - 1).stuck).toEqual([])
})

test('who is not known since when, and who needs no more, is never stuck; the list has an end', () => {
  const ageless = traceBoots({ ...nothing, machines: [{ name: 'x', macs: [mac] }] })
  expect(summarize(ageless, [], 1e12).stuck).toEqual([])
  const done = traceBoots({ ...nothing, leases: [lease], proxy: saw(['kube-apiserver']) })
  expect(summarize(done, [], 1e12)).toMatchObject({ connected: 1, stuck: [], nextMs: undefined })
  const many = Array.from({ length: 200 }, (_, index) => ({ name: `w${index}`, macs: [`m${index}`], sinceMs: 0 }))
  expect(summarize(traceBoots({ ...nothing, machines: many }), [], 1e12).stuck).toHaveLength(50)
})
