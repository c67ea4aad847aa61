import { expect, test } from 'vitest'
import { FakeClock } from './fake-clock.ts'
import { Rendezvous } from './rendezvous.ts'

test('those who come within the time go together, the next ones wait anew', async () => {
  const clock = new FakeClock()
  const rendezvous = new Rendezvous(clock, 25)
  const gone: string[] = []
  const come = (name: string): void => {
    void rendezvous.wait().then(() => gone.push(name))
  }
  come('first')
  await clock.advance(20)
  come('second')
  await clock.advance(4)
  expect(gone).toEqual([])
  await clock.advance(1)
  expect(gone).toEqual(['first', 'second'])
  come('third')
  await clock.advance(24)
  expect(gone).toHaveLength(2)
  await clock.advance(1)
  expect(gone).toHaveLength(3)
})
