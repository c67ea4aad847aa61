import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type AddressRange,
  formatRange,
  parseRange,
  rangeContains,
  rangeSize,
  rangesOverlap,
  withoutRanges,
} from './range.ts'

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

test('what is left without some others is all the rest', () => {
  const small = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 })).map(([a, b]) => ({
    first: Math.min(a, b),
    last: Math.max(a, b),
  }))
  fc.assert(
    fc.property(small, fc.array(small, { maxLength: 4 }), (whole, holes) => {
      const left = withoutRanges(whole, holes)
      for (let address = 0; address <= 40; address++) {
        const one = { first: address, last: address }
        const isLeft = rangesOverlap(whole, one) && !holes.some((hole) => rangesOverlap(hole, one))
        expect(left.filter((part) => rangeContains(part, address)).length).toBe(isLeft ? 1 : 0)
      }
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
