import { describe, expect, test } from 'vitest'
import { FakeClock } from '../time/fake-clock.ts'
import { WorkQueue } from './queue.ts'

describe('a key', () => {
  test('waits once, however often it is added', async () => {
    const queue = new WorkQueue({ clock: new FakeClock() })
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key)
    expect([await queue.take(), await queue.take()]).toEqual(['a', 'b'])
    expect(queue.stats().waiting).toBe(0)
  })

  test('added while it is worked on waits again, after that', async () => {
    const queue = new WorkQueue({ clock: new FakeClock() })
    queue.add('a')
    await queue.take()
    queue.add('a')
    queue.add('a')
    const next = queue.take()
    expect(queue.stats()).toMatchObject({ inWork: 1, waiting: 1 })
    queue.done('a')
    expect(await next).toBe('a')
  })

  test.each([
    [0, 5],
    [1, 10],
    [10, 5120],
    [15, 163_840],
    [16, 300_000],
    [1100, 300_000],
  ])('that failed %i times before is delayed by %i ms', async (failures, delayMs) => {
    const clock = new FakeClock()
    const queue = new WorkQueue({ clock })
    for (let i = 0; i < failures; i++) {
      queue.retry('a')
      await clock.advance(300_000)
      queue.done((await queue.take()) ?? '')
    }
    queue.retry('a')
    await clock.advance(delayMs - 0.5)
    const tooEarly = queue.stats().waiting
    await clock.advance(0.5)
    expect([tooEarly, queue.stats().waiting]).toEqual([0, 1])
  })

  test('that is forgotten after a success begins with 5 ms again', async () => {
    const clock = new FakeClock()
    const queue = new WorkQueue({ clock })
    queue.retry('a')
    queue.forget('a')
    await clock.advance(5)
    queue.done((await queue.take()) ?? '')
    queue.retry('a')
    await clock.advance(5)
    expect(queue.stats().waiting).toBe(1)
  })

  test('with several times to come is due at the earliest', async () => {
    const clock = new FakeClock()
    const queue = new WorkQueue({ clock })
    for (const delayMs of [500, 100, 900]) queue.addAfter('a', delayMs)
    await clock.advance(100)
    expect(await queue.take()).toBe('a')
    queue.done('a')
    await clock.advance(1000)
    expect(queue.stats()).toMatchObject({ waiting: 0, delayed: 0 })
  })
})

test('a key that is worked on for another reason does not come back for the old one', async () => {
  const clock = new FakeClock()
  const queue = new WorkQueue({ clock })
  queue.addAfter('a', 500)
  queue.add('a')
  await queue.take()
  queue.addAfter('a', 900)
  queue.done('a')
  await clock.advance(899)
  expect(queue.stats()).toMatchObject({ waiting: 0, delayed: 1 })
  await clock.advance(1)
  expect(queue.stats()).toMatchObject({ waiting: 1, delayed: 0 })
})

test('closing hands out nothing more and waits for what is worked on', async () => {
  const clock = new FakeClock()
  const queue = new WorkQueue({ clock })
  queue.add('a')
  queue.add('b')
  queue.addAfter('c', 100)
  await queue.take()
  let isClosed = false
  const closed = queue.close().then(() => {
    isClosed = true
  })
  expect(await queue.take()).toBeUndefined()
  await clock.advance(1000)
  expect(isClosed).toBe(false)
  queue.add('d')
  queue.done('a')
  await closed
  expect(queue.stats()).toMatchObject({ waiting: 0, delayed: 0, inWork: 0 })
})

test('closing wakes those who wait', async () => {
  const queue = new WorkQueue({ clock: new FakeClock() })
  const takers = [queue.take(), queue.take()]
  await queue.close()
  expect(await Promise.all(takers)).toEqual([undefined, undefined])
})
