import { expect, test } from 'vitest'
import { readSettings } from './config.ts'
import { dhcpServer, settingsOf } from './testing/vlan.ts'

test('a prefix length after serverIP is ignored: the network has its own', () => {
  expect(settingsOf({ serverIP: '192.168.100.2/16' })).toMatchObject({
    serverAddress: 0xc0a86402,
    cidr: { prefixLength: 24 },
    title: 'DHCPServer vlan/dhcp',
    generation: 1,
  })
})

test('part of a second is not lent', () => {
  expect(settingsOf({ leaseTime: '1h0.9s' }).leaseSeconds).toBe(3600)
})

test.each([
  ['spec.networkConfig.serverIP', { serverIP: '10.0.0.2' }],
  ['spec.leaseConfig.rangeStart', { range: ['10.0.0.10', '192.168.100.99'] }],
  ['spec.leaseConfig.rangeEnd', { range: ['192.168.100.10', '192.168.200.99'] }],
  ['spec.leaseConfig.rangeEnd', { range: ['192.168.100.10', '192.168.100.9'] }],
  ['spec.networkConfig.serverIPs', { serverIPs: ['192.168.100.2', '192.168.100.3'] }],
] as const)('%s: what cannot be served is a problem', (field, text) => {
  const { serverIPs, ...rest } = { serverIPs: undefined, ...text }
  const server = dhcpServer(rest)
  const { serverIP, ...network } = server.spec.networkConfig
  const networkConfig = serverIPs === undefined ? { ...network, serverIP } : { ...network, serverIPs: [...serverIPs] }
  const result = readSettings({ ...server, spec: { ...server.spec, networkConfig } })
  expect(result).toMatchObject({
    ok: false,
    problems: [{ field, message: expect.stringContaining('DHCPServer vlan/dhcp') }],
  })
})
