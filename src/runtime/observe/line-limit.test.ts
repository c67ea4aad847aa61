import { expect, test } from 'vitest'
import { LineLimit } from './line-limit.ts'

test('lets so many lines through in a second, and tells how many it left out', () => {
  const told: number[] = []
  const limit = new LineLimit(2, (leftOut) => told.push(leftOut))
  const taken = [5000, 5001, 5500, 5999, 6000, 6001, 7000].map((nowMs) => limit.take(nowMs))
  expect([taken, told]).toEqual([[true, true, false, false, true, true, true], [2]])
})

test('a clock that is set back begins another second', () => {
  const limit = new LineLimit(1, () => {})
  expect([limit.take(9000), limit.take(9001), limit.take(3000)]).toEqual([true, false, true])
})
