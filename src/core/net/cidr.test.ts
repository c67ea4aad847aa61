import { BlockList } from 'node:net'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, expect, test } from 'vitest'
import {
  broadcastOf,
  type Cidr,
  cidrContains,
  cidrsOverlap,
  formatCidr,
  isHostAddress,
  netmask,
  parseCidr,
} from './cidr.ts'
import { formatIpv4 } from './ipv4.ts'

const address = fc.integer({ min: 0, max: 0xffffffff })
const prefixLengths = Array.from({ length: 33 }, (_, length) => length)

const network: fc.Arbitrary<Cidr> = fc
  .tuple(address, fc.integer({ min: 0, max: 32 }))
  .map(([value, prefixLength]) => ({ network: (value & netmask({ network: 0, prefixLength })) >>> 0, prefixLength }))

test.each(prefixLengths)('mask and last address of a /%i are what ipaddr.js says', (prefixLength) => {
  fc.assert(
    fc.property(address, (value) => {
      const cidr = { network: (value & netmask({ network: 0, prefixLength })) >>> 0, prefixLength }
      expect(formatIpv4(netmask(cidr))).toBe(ipaddr.IPv4.subnetMaskFromPrefixLength(prefixLength).toString())
      expect(formatIpv4(broadcastOf(cidr))).toBe(ipaddr.IPv4.broadcastAddressFromCIDR(formatCidr(cidr)).toString())
      expect(formatIpv4(cidr.network)).toBe(ipaddr.IPv4.networkAddressFromCIDR(formatCidr(cidr)).toString())
    }),
    { numRuns: 20 },
  )
})

test('every network comes back from its text', () => {
  fc.assert(fc.property(network, (cidr) => void expect(parseCidr(formatCidr(cidr))).toEqual(cidr)))
})

test('contains what a BlockList of the kernel of Node contains', () => {
  fc.assert(
    fc.property(network, address, fc.integer({ min: -2, max: 2 }), (cidr, anywhere, near) => {
      const list = new BlockList()
      list.addSubnet(formatIpv4(cidr.network), cidr.prefixLength)
      const edges = [cidr.network + near, broadcastOf(cidr) + near].filter((value) => value >= 0 && value <= 0xffffffff)
      for (const value of [anywhere, ...edges]) {
        expect(cidrContains(cidr, value)).toBe(list.check(formatIpv4(value)))
      }
    }),
    { numRuns: 500 },
  )
})

test('two networks overlap exactly when one has an end of the other inside', () => {
  fc.assert(
    fc.property(network, network, (a, b) => {
      const isDisjoint = broadcastOf(a) < b.network || broadcastOf(b) < a.network
      expect(cidrsOverlap(a, b)).toBe(!isDisjoint)
    }),
  )
})

describe('host addresses', () => {
  test.each([
    ['192.168.100.0/24', 0, false],
    ['192.168.100.0/24', 1, true],
    ['192.168.100.0/24', 254, true],
    ['192.168.100.0/24', 255, false],
    ['192.168.100.0/31', 0, true],
    ['192.168.100.0/31', 1, true],
    ['192.168.100.0/32', 0, true],
    ['192.168.100.0/30', 4, false],
    ['10.0.0.0/16', 255, true],
    ['10.0.0.0/16', 256, true],
  ])('%s + %i: %s', (text, offset, expected) => {
    const cidr = parseCidr(text)
    expect(cidr && isHostAddress(cidr, cidr.network + offset)).toBe(expected)
  })
})

test.each([
  '10.0.0.0',
  '10.0.0.0/',
  '/8',
  '10.0.0.0/33',
  '10.0.0.0/08',
  '10.0.0.0/-1',
  '10.0.0.1/8',
  '10.0.0.0/8/8',
  '10.0.0/8',
])('%s is no network', (text) => {
  expect(parseCidr(text)).toBeUndefined()
})

test('any text gives a network or nothing', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseCidr(text)))
})
