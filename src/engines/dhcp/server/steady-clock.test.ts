import { expect, test } from 'vitest'
import { SteadyClock } from './steady-clock.ts'

test('case 33: a clock that is set does not jump until the step is taken, and then says by how much', () => {
  const time = { wallMs: 1_000_000, monotonicMs: 5 }
  const clock = new SteadyClock(
    () => time.wallMs,
    () => time.monotonicMs,
  )
  time.monotonicMs += 1000
  time.wallMs += 1000 + 86_400_000
  expect(clock.nowMs()).toBe(1_001_000)
  expect(clock.takeStep()).toBe(86_400_000)
  expect(clock.nowMs()).toBe(1_001_000 + 86_400_000)
})

test('a clock that is merely adjusted makes no step', () => {
  const time = { wallMs: 1_000_000, monotonicMs: 0 }
  const clock = new SteadyClock(
    () => time.wallMs,
    () => time.monotonicMs,
  )
  for (let second = 1; second <= 100; second++) {
    time.monotonicMs += 1000
    time.wallMs += 1001
    expect(clock.takeStep()).toBe(0)
  }
  expect(clock.nowMs()).toBe(1_100_100)
})
