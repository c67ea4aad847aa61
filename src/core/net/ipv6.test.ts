import { isIPv6 } from 'node:net'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { expect, test } from 'vitest'
import { parseIpv6 } from './ipv6.ts'

/** Texts made of what addresses are made of. */
const nearlyAddress = fc
  .array(fc.constantFrom(':', '::', '0', 'f', 'ffff', '12345', '1.2.3.4', 'g', '01'), { maxLength: 18 })
  .map((parts) => parts.join(''))

test('the bytes are what ipaddr.js says', () => {
  // It takes ::1.2.3.4 for ::ffff:1.2.3.4, so texts that end in an IPv4 address have their own test.
  const hexadecimal = fc.ipV6().filter((text) => !text.includes('.'))
  fc.assert(
    fc.property(hexadecimal, (text) => {
      expect([...(parseIpv6(text) ?? [])]).toEqual(ipaddr.IPv6.parse(text).toByteArray())
    }),
    { numRuns: 1000 },
  )
})

test.each([
  ['::1.2.3.4', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]],
  ['::ffff:192.168.100.2', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 168, 100, 2]],
  ['64:ff9b::10.0.0.1', [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 1]],
])('%s ends in an IPv4 address', (text, bytes) => {
  expect([...(parseIpv6(text) ?? [])]).toEqual(bytes)
})

test('accepts exactly what Node accepts, but no zone', () => {
  fc.assert(
    fc.property(fc.oneof(nearlyAddress, fc.ipV6(), fc.string()), (text) => {
      expect(parseIpv6(text) !== undefined).toBe(isIPv6(text) && !text.includes('%'))
    }),
    { numRuns: 3000 },
  )
})

test.each(['fe80::1%eth0', '[::1]', '::1/128', '', '1::2::3'])('%j is refused', (text) => {
  expect(parseIpv6(text)).toBeUndefined()
})
