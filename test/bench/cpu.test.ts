import { expect, it } from 'vitest'
import { busySeconds, processTimes } from './cpu.ts'

it('reads the times of a process whose name has spaces and parentheses', () => {
  const stat = '42 (a (b) c) S 1 42 42 0 -1 4194560 100 200 0 0 150 50 30 20 20 0 1 0 100 1000 10'
  expect(processTimes(stat)).toEqual({ own: 2, endedChildren: 0.5 })
})

it('a process that is gone counts nothing', () => {
  expect(processTimes('')).toEqual({ own: 0, endedChildren: 0 })
})

it('idle and waiting for the disk are not busy', () => {
  expect(busySeconds('cpu  100 10 50 9999 8888 5 15 20 0 0\ncpu0 1 1 1 1\n')).toBe(2)
})
