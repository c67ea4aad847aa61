import { expect, test } from 'vitest'
import { FakeClock } from '../../runtime/time/fake-clock.ts'
import { Coalesced } from './coalesced.ts'

test('at once, then once a second for as long as it is asked, each key for itself', async () => {
  const clock = new FakeClock()
  const calls: string[] = []
  const coalesced = new Coalesced(clock, (key) => calls.push(key))
  for (let i = 0; i < 25; i++) {
    coalesced.ask('a')
    await clock.advance(100)
  }
  expect(calls).toEqual(['a', 'a', 'a'])
  coalesced.ask('b')
  expect(calls).toEqual(['a', 'a', 'a', 'b'])
  await clock.advance(5000)
  expect(calls).toEqual(['a', 'a', 'a', 'b', 'a'])
  expect(clock.waiting).toBe(0)
})
