import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDuration } from './duration.ts'

test.each([
  ['1h', 3_600_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1500],
  ['.5s', 500],
  ['1.s', 1000],
  ['500ms', 500],
  ['1us', 0.001],
  ['1µs', 0.001],
  ['0', 0],
  ['0s', 0],
  ['90m', 5_400_000],
  ['1m1m', 120_000],
  ['', undefined],
  ['1', undefined],
  ['h', undefined],
  ['1 h', undefined],
  ['-1h', undefined],
  ['+1h', undefined],
  ['1d', undefined],
  ['1h ', undefined],
  ['.s', undefined],
  ['1e3s', undefined],
  [`${'9'.repeat(60)}h`, 9.999999999999999e59 * 3_600_000],
  ['1s'.repeat(33), undefined],
])('%j', (text, expected) => {
  expect(parseDuration(text)).toBe(expected)
})

test('hours, minutes and seconds add up in any combination', () => {
  fc.assert(
    fc.property(fc.nat(99), fc.nat(59), fc.nat(59), (hours, minutes, seconds) => {
      expect(parseDuration(`${hours}h${minutes}m${seconds}s`)).toBe(((hours * 60 + minutes) * 60 + seconds) * 1000)
    }),
  )
})

test('any text gives a number of milliseconds that is not negative, or nothing', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9.hmsnuµ]{0,20}$/)), (text) => {
      const milliseconds = parseDuration(text)
      expect(milliseconds === undefined || (milliseconds >= 0 && Number.isFinite(milliseconds))).toBe(true)
    }),
  )
})
