import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AddressRange, formatRange, parseRange, rangeContains, rangeSize } from './range.ts'

const range: fc.Arbitrary<AddressRange> = fc
  .tuple(fc.integer({ min: 0, max: 0xffffffff }), fc.integer({ min: 0, max: 0xffffffff }))
  .map(([a, b]) => ({ first: Math.min(a, b), last: Math.max(a, b) }))

test('every range comes back from its text', () => {
  fc.assert(fc.property(range, (value) => void expect(parseRange(formatRange(value))).toEqual(value)))
})

test('its ends belong to a range, their neighbours do not', () => {
  fc.assert(
    fc.property(range, ({ first, last }) => {
      expect([first - 1, first, last, last + 1].map((address) => rangeContains({ first, last }, address))).toEqual([
        false,
        true,
        true,
        false,
      ])
      expect(rangeSize({ first, last })).toBe(last - first + 1)
    }),
  )
})

test.each([
  ['10.0.0.1', { first: 0x0a000001, last: 0x0a000001 }],
  ['10.0.0.1-10.0.0.3', { first: 0x0a000001, last: 0x0a000003 }],
  ['10.0.0.1 - 10.0.0.3', { first: 0x0a000001, last: 0x0a000003 }],
  ['10.0.0.3-10.0.0.1', undefined],
  ['10.0.0.1-', undefined],
  ['-10.0.0.1', undefined],
  ['10.0.0.1-10.0.0.2-10.0.0.3', undefined],
  ['10.0.0.1-3', undefined],
  ['', undefined],
])('%j', (text, expected) => {
  expect(parseRange(text)).toEqual(expected)
})
