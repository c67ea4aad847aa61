import { isIPv4 } from 'node:net'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, expect, test } from 'vitest'
import { formatIpv4, isUnicastIpv4, parseIpv4 } from './ipv4.ts'

const address = fc.integer({ min: 0, max: 0xffffffff })

/** Texts that are nearly addresses, so that the edges are met often. */
const nearlyAddress = fc
  .array(
    fc.oneof(fc.integer({ min: 0, max: 300 }).map(String), fc.constantFrom('', '00', '01', '0x1', '1e1', ' 1', '-1')),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((octets) => octets.join('.'))

test('every address comes back from its text', () => {
  fc.assert(fc.property(address, (value) => parseIpv4(formatIpv4(value)) === value))
})

test('the text is what others write', () => {
  fc.assert(
    fc.property(address, (value) => {
      const bytes = [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
      expect(formatIpv4(value)).toBe(ipaddr.fromByteArray(bytes).toString())
    }),
  )
})

test('accepts exactly what Node accepts', () => {
  fc.assert(
    fc.property(fc.oneof(nearlyAddress, fc.string()), (text) => {
      expect(parseIpv4(text) !== undefined).toBe(isIPv4(text))
    }),
    { numRuns: 2000 },
  )
})

describe('refuses what other programs read as another address', () => {
  test.each(['10.1', '010.0.0.1', '0x0a.0.0.1', '1.2.3.4.', ' 1.2.3.4', '1.2.3.4\n', '256.0.0.1', '１.2.3.4', ''])(
    '%j',
    (text) => {
      expect(parseIpv4(text)).toBeUndefined()
    },
  )
})

test('unicast is what ipaddr.js does not give a special name that a host cannot have', () => {
  const special = ['unspecified', 'broadcast', 'multicast', 'linkLocal', 'loopback']
  fc.assert(
    fc.property(address, (value) => {
      const range = ipaddr.IPv4.parse(formatIpv4(value)).range()
      // All of 0/8 and 240/4 is refused here as well.
      const isReserved = value >>> 24 === 0 || value >>> 28 === 15
      expect(isUnicastIpv4(value)).toBe(!special.includes(range) && !isReserved)
    }),
    { numRuns: 2000 },
  )
})
