import { expect, test } from 'vitest'
import { parseCidr } from '../../core/net/cidr.ts'
import { addressNotAdded, findMissing, type HostAddresses } from './addresses.ts'

const vlan = parseCidr('192.168.100.0/24') ?? { network: 0, prefixLength: 0 }
const host: HostAddresses = new Map([
  ['eth0', ['10.0.0.5']],
  ['vlan100', ['192.168.100.2']],
  ['spare', []],
])

test('addresses that are all there are no work', () => {
  expect(findMissing({ addresses: ['192.168.100.2'], vlan }, host)).toMatchObject({
    ok: true,
    value: { addresses: [] },
  })
})

test('a missing one belongs to the interface that is already on the VLAN', () => {
  const found = findMissing({ addresses: ['192.168.100.2', '192.168.100.3', '192.168.100.3'], vlan }, host)
  expect(found).toEqual({ ok: true, value: { interfaceName: 'vlan100', addresses: ['192.168.100.3/24'] } })
})

test('--interface decides where they belong', () => {
  const found = findMissing({ addresses: ['192.168.100.3'], vlan, interfaceName: 'spare' }, host)
  expect(found).toEqual({ ok: true, value: { interfaceName: 'spare', addresses: ['192.168.100.3/24'] } })
})

test('no leg on the VLAN at all names each address', () => {
  const found = findMissing({ addresses: ['10.9.0.2', '10.9.0.2'], vlan: parseCidr('10.9.0.0/16') ?? vlan }, host)
  expect(found).toMatchObject({
    ok: false,
    problems: [{ reason: 'AddressMissing', message: expect.stringContaining('10.9.0.2') }],
  })
})

test('an interface that is not there is named beside those that are', () => {
  const found = findMissing({ addresses: [], vlan, interfaceName: 'vlan7' }, host)
  expect(found).toMatchObject({
    ok: false,
    problems: [
      { reason: 'InterfaceMissing', message: 'this host has no interface vlan7; it has eth0, vlan100, spare' },
    ],
  })
})

test('an address on another interface than the one named is said, not stolen', () => {
  const found = findMissing({ addresses: ['192.168.100.2'], vlan, interfaceName: 'spare' }, host)
  expect(found).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringContaining('is on interface vlan100') }],
  })
})

test('what is not to be added comes with the command that adds it', () => {
  expect(addressNotAdded({ interfaceName: 'vlan100', addresses: ['192.168.100.3/24'] })).toMatchObject([
    { reason: 'AddressMissing', message: expect.stringContaining('ip address add 192.168.100.3/24 dev vlan100') },
  ])
})
