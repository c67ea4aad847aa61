import { expect, it } from 'vitest'
import { ReadBuffer, ReadBufferPool } from './read-buffers.ts'

it('grows while reads are full and shrinks when they are small', () => {
  const buffer = new ReadBuffer(new ReadBufferPool())
  const sizes = [256, 1024, 4096, 16_384, 65_536, 262_144].map((count) => {
    buffer.reuse(count)
    return buffer.current.length
  })
  expect(sizes).toEqual([1024, 4096, 16_384, 65_536, 262_144, 262_144])
  const shrinking = [200_000, 40_000, 10_000, 100, 100, 50, 50].map((count) => {
    buffer.reuse(count)
    return buffer.current.length
  })
  expect(shrinking).toEqual([262_144, 65_536, 16_384, 4096, 1024, 256, 256])
})

it('never gives a buffer with waiting bytes to anybody', () => {
  const pool = new ReadBufferPool()
  const [mine, other] = [new ReadBuffer(pool), new ReadBuffer(pool)]
  const waiting = mine.replace(256)
  expect([mine.current, other.current, pool.take(256)]).not.toContain(waiting)
  pool.giveBack(waiting)
  expect(pool.take(256)).toBe(waiting)
})

it('keeps a bounded number of spare buffers', () => {
  const pool = new ReadBufferPool()
  const buffers: Buffer[] = Array.from({ length: 100 }, () => Buffer.alloc(65_536))
  for (const buffer of buffers) pool.giveBack(buffer)
  const spare = buffers.map(() => pool.take(65_536)).filter((buffer) => buffers.includes(buffer))
  expect(spare).toHaveLength(64)
})

it('has a bounded number of the largest in use, whoever is slow', () => {
  const pool = new ReadBufferPool()
  const held = Array.from({ length: 300 }, () => pool.take(262_144))
  expect(held.filter(({ length }) => length === 262_144)).toHaveLength(256)
  expect(held.at(-1)).toHaveLength(65_536)
  const [first, second] = held
  if (first) pool.giveBack(first)
  if (second) pool.forget(second)
  expect([0, 1, 2].map(() => pool.take(262_144).length)).toEqual([262_144, 262_144, 65_536])
})

it('holds nothing for who waits', () => {
  const pool = new ReadBufferPool()
  const buffer = new ReadBuffer(pool)
  const waiting = buffer.replace(256)
  pool.giveBack(waiting)
  const spare = Buffer.alloc(1024)
  pool.giveBack(spare)
  expect(buffer.current).toBe(spare)
})
