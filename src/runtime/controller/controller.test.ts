import { describe, expect, test } from 'vitest'
import { ApiError } from '../kube/error.ts'
import { createLogger } from '../observe/log.ts'
import { FakeClock } from '../time/fake-clock.ts'
import { Controller, type ControllerOptions } from './controller.ts'
import { type Reconcile, Terminal } from './reconcile.ts'

const log = createLogger('silent', { write: () => undefined })

function start(
  reconcile: Reconcile,
  options: Partial<ControllerOptions> = {},
): { clock: FakeClock; controller: Controller } {
  const clock = new FakeClock()
  const controller = new Controller({ name: 'test', reconcile, clock, log, ...options })
  controller.start()
  return { clock, controller }
}

/** A reconcile that fails as told, once per entry, and notes when it ran. */
function failing(clock: () => FakeClock, ...errors: unknown[]): { reconcile: Reconcile; times: number[] } {
  const times: number[] = []
  return {
    times,
    async reconcile() {
      times.push(clock().elapsed())
      if (errors.length > 0) throw errors.shift()
      return undefined
    },
  }
}

describe('how a reconcile ends', () => {
  test('well: the next call comes with the next change', async () => {
    const keys: string[] = []
    const { clock, controller } = start(async (key) => {
      keys.push(key)
      return undefined
    })
    controller.trigger('default/a')
    await clock.advance(1e9)
    controller.trigger('default/a')
    await clock.advance(1)
    expect(keys).toEqual(['default/a', 'default/a'])
    expect(controller.stats().results).toEqual({ done: 2, requeued: 0, failed: 0, terminal: 0 })
  })

  test('with a wish to look again', async () => {
    const times: number[] = []
    const { clock, controller } = start(async () => {
      times.push(clock.elapsed())
      return times.length < 3 ? { requeueAfterMs: 1000 } : undefined
    })
    controller.trigger('a')
    await clock.advance(10_000)
    expect(times).toEqual([0, 1000, 2000])
    expect(controller.stats().results).toMatchObject({ requeued: 2, done: 1 })
  })

  test('with a wish for a time no timer can hold: it does not come at once', async () => {
    let calls = 0
    const { clock, controller } = start(async () => {
      calls++
      return { requeueAfterMs: Number.MAX_SAFE_INTEGER }
    })
    controller.trigger('a')
    await clock.advance(2 ** 31 - 2)
    expect(calls).toBe(1)
    await clock.advance(1)
    expect(calls).toBe(2)
  })

  test('with an error: again, ever later, and from the beginning after a success', async () => {
    const { reconcile, times } = failing(() => clock, new Error('1'), new Error('2'), 'not even an Error')
    const { clock, controller } = start(reconcile)
    controller.trigger('a')
    await clock.advance(10_000)
    expect(times).toEqual([0, 5, 15, 35])
    expect(controller.stats()).toMatchObject({ failing: 0, results: { failed: 3, done: 1 } })
  })

  test.each([
    ['Terminal', new Terminal('the spec makes no sense')],
    [
      'a field that is not in the schema',
      new ApiError({
        method: 'PATCH',
        url: '/',
        status: 500,
        reason: '',
        message: '.spec.x: field not declared in schema',
      }),
    ],
  ])('with an error that trying again would not mend: %s', async (_name, error) => {
    const { reconcile, times } = failing(() => clock, error)
    const { clock, controller } = start(reconcile)
    controller.trigger('a')
    await clock.advance(1e9)
    expect(times).toEqual([0])
    controller.trigger('a')
    await clock.advance(1)
    expect(controller.stats().results).toMatchObject({ terminal: 1, done: 1 })
  })

  test('too late: its signal is aborted, and that is an error like any other', async () => {
    const reasons: unknown[] = []
    const { clock, controller } = start(
      (_key, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason.message)
            reject(signal.reason)
          })
        }),
      { timeoutMs: 1000 },
    )
    controller.trigger('a')
    await clock.advance(1000)
    expect(reasons).toEqual(['reconcile took longer than 1 s'])
    expect(controller.stats()).toMatchObject({ failing: 1, inWork: 0 })
  })

  test('never, deaf to its signal: the worker goes on with others, but not with that key', async () => {
    const keys: string[] = []
    const { clock, controller } = start(
      (key) => {
        keys.push(key)
        return key === 'deaf' ? new Promise(() => undefined) : Promise.resolve(undefined)
      },
      { timeoutMs: 1000 },
    )
    controller.trigger('deaf')
    controller.trigger('other')
    await clock.advance(6000)
    controller.trigger('deaf')
    await clock.advance(600_000)
    expect(keys).toEqual(['deaf', 'other'])
  })
})

describe('workers', () => {
  test('work in parallel, but never two on one key', async () => {
    const running = new Set<string>()
    let most = 0
    const { clock, controller } = start(
      async (key) => {
        expect(running.has(key)).toBe(false)
        running.add(key)
        most = Math.max(most, running.size)
        await new Promise<void>((resolve) => clock.after(10, resolve))
        running.delete(key)
        return undefined
      },
      { workers: 3 },
    )
    for (let round = 0; round < 20; round++) {
      for (const key of ['a', 'b', 'c', 'd', 'e']) controller.trigger(key)
      await clock.advance(7)
    }
    expect(most).toBe(3)
  })

  test('are given time to end, and then told to', async () => {
    const ends: string[] = []
    const { clock, controller } = start(
      (key, { signal }) =>
        new Promise((resolve) => {
          clock.after(key === 'quick' ? 100 : 1e9, () => resolve(undefined))
          signal.addEventListener('abort', () => {
            ends.push(`${key} ${signal.reason.message}`)
            resolve(undefined)
          })
        }),
      { workers: 2, timeoutMs: 1e9 },
    )
    for (const key of ['quick', 'slow', 'never begun']) controller.trigger(key)
    await clock.advance(1)
    const stopped = controller.stop(1000)
    await clock.advance(1000)
    await stopped
    expect(ends).toEqual(['slow the controller stops'])
    expect(controller.stats()).toMatchObject({ results: { done: 2 }, waiting: 0, inWork: 0 })
  })

  test('stopping an idle controller takes no time', async () => {
    const { clock, controller } = start(async () => undefined)
    await controller.stop(1e9)
    expect(clock.elapsed()).toBe(0)
    // A timer left behind would keep the process alive for as long as it runs.
    expect(clock.waiting).toBe(0)
  })
})
