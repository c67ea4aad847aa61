import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Burst } from './burst.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

test('the first of several is done at once, the rest together when the window is over', () => {
  const { burst, done } = counted()
  for (let count = 0; count < 5; count++) burst.call()
  expect(done()).toBe(1)
  expect(burst.isPending).toBe(true)
  vi.advanceTimersByTime(100)
  expect(done()).toBe(2)
  expect(burst.isPending).toBe(false)
})

test('one that comes alone never waits', () => {
  const { burst, done } = counted()
  burst.call()
  vi.advanceTimersByTime(100)
  burst.call()
  expect(done()).toBe(2)
  expect(burst.isPending).toBe(false)
})

test('after the end nothing is done any more', () => {
  const { burst, done } = counted()
  burst.call()
  burst.call()
  burst.stop()
  vi.advanceTimersByTime(1000)
  expect(done()).toBe(1)
})

function counted() {
  let count = 0
  return { burst: new Burst(100, () => count++), done: () => count }
}
