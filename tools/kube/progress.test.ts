import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { elapsed, withProgress } from './progress.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('writes few lines to a log', async () => {
  const written: string[] = []
  const work = withProgress({ write: (text) => written.push(text) }, 'building x', async (detail) => {
    detail('7 packages')
    await vi.advanceTimersByTimeAsync(61_000)
  })
  await work
  expect(written).toEqual([
    'building x ...\n',
    'building x: 30 s, 7 packages ...\n',
    'building x: 1 min 0 s, 7 packages ...\n',
    'building x: 1 min 1 s, 7 packages, done\n',
  ])
})

it('rewrites one line on a terminal', async () => {
  const written: string[] = []
  await withProgress({ write: (text) => written.push(text), isTTY: true }, 'x', async () => {
    await vi.advanceTimersByTimeAsync(2_000)
  })
  expect(written.map((text) => JSON.stringify(text))).toEqual([
    '"\\r\\u001b[Kx: 1 s"',
    '"\\r\\u001b[Kx: 2 s"',
    '"\\r\\u001b[Kx: 2 s, done\\n"',
  ])
})

it('stops when the work fails', async () => {
  const written: string[] = []
  const work = withProgress({ write: (text) => written.push(text) }, 'x', () => Promise.reject(new Error('broken')))
  await expect(work).rejects.toThrow('broken')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(written).toEqual(['x ...\n'])
})

it.each([
  [0, '0 s'],
  [59_400, '59 s'],
  [59_600, '1 min 0 s'],
  [3_725_000, '62 min 5 s'],
])('says %d ms as %s', (milliseconds, text) => {
  expect(elapsed(milliseconds)).toBe(text)
})
