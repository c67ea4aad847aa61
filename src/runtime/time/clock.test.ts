import { describe, expect, test } from 'vitest'
import { longestDelayMs, sleep, systemClock } from './clock.ts'
import { FakeClock } from './fake-clock.ts'

describe('the system clock', () => {
  test('a delay beyond what a timer can hold does not fire at once', async () => {
    let fired = false
    const cancel = systemClock.after(longestDelayMs * 10, () => {
      fired = true
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    cancel()
    expect(fired).toBe(false)
  })

  test('an aborted signal ends a sleep without an error', async () => {
    const controller = new AbortController()
    const clock = new FakeClock()
    const slept = sleep(clock, 1e9, controller.signal)
    controller.abort()
    await slept
    expect(clock.waiting).toBe(0)
    await sleep(clock, 1e9, controller.signal)
  })
})
