import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Timeouts } from './timeouts.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

it('ends each wait at its time, also when the end of one begins another', () => {
  const ended: [string, number][] = []
  const timeouts = new Timeouts<string>(100, (item) => {
    ended.push([item, performance.now()])
    if (item === 'first') timeouts.add('again')
  })
  const start = performance.now()
  timeouts.add('first')
  vi.advanceTimersByTime(50)
  timeouts.add('second')
  vi.advanceTimersByTime(500)
  expect(ended.map(([item, at]) => [item, Math.round(at - start)])).toEqual([
    ['first', 100],
    ['second', 150],
    ['again', 200],
  ])
})

it('forgets what nobody waits for any more', () => {
  const ended: string[] = []
  const timeouts = new Timeouts<string>(100, (item) => ended.push(item))
  timeouts.add('cleared').item = undefined
  timeouts.add('kept')
  vi.advanceTimersByTime(200)
  expect(ended).toEqual(['kept'])
  timeouts.add('stopped')
  timeouts.stop()
  vi.advanceTimersByTime(200)
  expect(ended).toEqual(['kept'])
})
