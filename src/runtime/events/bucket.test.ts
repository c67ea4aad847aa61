import { expect, test } from 'vitest'
import { FakeClock } from '../time/fake-clock.ts'
import { TokenBuckets } from './bucket.ts'

test('a burst passes, then one per interval, for each key on its own', async () => {
  const clock = new FakeClock()
  const buckets = new TokenBuckets({ burst: 2, refillMs: 1000 }, clock)
  expect(['a', 'a', 'a', 'b'].map((key) => buckets.take(key))).toEqual([true, true, false, true])
  await clock.advance(1000)
  expect([buckets.take('a'), buckets.take('a')]).toEqual([true, false])
  await clock.advance(100_000)
  expect([buckets.take('a'), buckets.take('a'), buckets.take('a')]).toEqual([true, true, false])
})

test('full buckets are forgotten', async () => {
  const clock = new FakeClock()
  const buckets = new TokenBuckets({ burst: 2, refillMs: 1000 }, clock)
  buckets.take('a')
  await clock.advance(500)
  buckets.take('b')
  await clock.advance(500)
  buckets.tidy()
  expect(buckets.size).toBe(1)
})
