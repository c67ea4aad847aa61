import { describe, expect, test } from 'vitest'
import { startDeadline } from './deadline.ts'
import { FakeClock } from './fake-clock.ts'

describe('a deadline', () => {
  test('aborts with its own error when the time is up, later if it was restarted', async () => {
    const clock = new FakeClock()
    const deadline = startDeadline(clock, 100, undefined, () => new Error('too late'))
    await clock.advance(90)
    deadline.restart(100)
    await clock.advance(90)
    expect(deadline.signal.aborted).toBe(false)
    await clock.advance(10)
    expect(deadline.signal.reason).toEqual(new Error('too late'))
  })

  test('aborts with its parent, also with one that is aborted already', () => {
    const parent = new AbortController()
    const clock = new FakeClock()
    const early = startDeadline(clock, 100, parent.signal, () => new Error('too late'))
    parent.abort('enough')
    const late = startDeadline(clock, 100, parent.signal, () => new Error('too late'))
    expect([early.signal.reason, late.signal.reason]).toEqual(['enough', 'enough'])
    early.cancel()
    late.cancel()
    expect(clock.waiting).toBe(0)
  })
})
