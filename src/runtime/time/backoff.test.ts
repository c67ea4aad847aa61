import { describe, expect, test } from 'vitest'
import { Backoff } from './backoff.ts'
import { FakeClock } from './fake-clock.ts'

describe('back-off', () => {
  const options = { firstMs: 800, longestMs: 30_000, resetAfterMs: 120_000 }

  test('doubles up to its limit and begins anew after a healthy while', async () => {
    const clock = new FakeClock()
    const backoff = new Backoff(options, clock, () => 0)
    expect(Array.from({ length: 8 }, () => backoff.next())).toEqual([
      800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000,
    ])
    await clock.advance(120_001)
    expect(backoff.next()).toBe(800)
  })

  test('is spread by chance to at most twice as long', () => {
    const backoff = new Backoff(options, new FakeClock(), () => 0.999)
    expect(backoff.next()).toBeCloseTo(1599, 0)
  })
})
