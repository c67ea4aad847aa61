import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseMac } from './mac.ts'

test.each([
  ['02:00:00:00:00:01', '02:00:00:00:00:01'],
  ['02-00-00-00-00-0A', '02:00:00:00:00:0a'],
  ['AA:BB:CC:DD:EE:FF', 'aa:bb:cc:dd:ee:ff'],
  ['02:00-00:00:00:01', undefined],
  ['02:00:00:00:00', undefined],
  ['02:00:00:00:00:01:02', undefined],
  ['020000000001', undefined],
  ['02:00:00:00:00:0g', undefined],
  ['', undefined],
])('%j', (text, expected) => {
  expect(parseMac(text)).toBe(expected)
})

test('the one spelling is its own spelling', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^([0-9a-fA-F]{2}-){5}[0-9a-fA-F]{2}$/), (text) => {
      const mac = parseMac(text)
      expect(mac).toMatch(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/)
      expect(parseMac(mac ?? '')).toBe(mac)
    }),
  )
})
