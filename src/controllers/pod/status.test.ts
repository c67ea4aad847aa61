import { expect, test } from 'vitest'
import { dhcpServerSchema } from '../../api/dhcpserver.ts'
import { dnsServerSchema } from '../../api/dnsserver.ts'
import { proxyServerSchema } from '../../api/proxyserver.ts'
import { dhcpStatus, dnsStatus, proxyStatus } from './status.ts'

const last = '2026-01-01T00:00:00.000Z'

test('what a DHCP engine says fits the schema, also of clients without a MAC address', () => {
  const status = dhcpStatus({
    servingGeneration: 4,
    activeLeases: 2,
    totalLeases: 10,
    poolUsage: 20,
    leases: { active: 2, offered: 0, expired: 1, declined: 0 },
    refusals: [
      { mac: '02:00:00:00:00:01', reason: 'UnknownClient', count: 3, last },
      { mac: 'id/00aa', reason: 'UnknownClient', count: 1, last },
    ],
    problems: [],
    warnings: [],
  })
  expect(dhcpServerSchema.shape.status.parse(status)).toMatchObject({
    servingGeneration: 4,
    refusals: [{ mac: '02:00:00:00:00:01' }],
  })
})

test('what a DNS engine says is the generation, once it serves one', () => {
  const quiet = {
    listeners: [],
    names: { vlan: 0, pod: 0, machines: 0 },
    internalProxyKnown: true,
    upstreams: [],
    cache: { entries: 0, bytes: 0 },
    queries: 0,
    problems: [],
  }
  expect(dnsStatus(quiet)).toEqual({})
  expect(dnsServerSchema.shape.status.parse(dnsStatus({ ...quiet, servingGeneration: 2 }))).toEqual({
    servingGeneration: 2,
  })
})

test('what a proxy says of its backends fits the schema, however long an error is', () => {
  const backend = { name: 'api', endpoints: 2, healthy: 1, untried: 0, openConnections: 5, lastError: 'x'.repeat(5000) }
  const status = proxyStatus({
    servingGeneration: 1,
    listeners: [],
    backends: [backend],
    openConnections: 5,
    problems: [],
  })
  expect(proxyServerSchema.shape.status.parse(status)).toMatchObject({
    backends: [{ name: 'api', endpoints: 2, healthy: 1, lastError: 'x'.repeat(1024) }],
  })
})
