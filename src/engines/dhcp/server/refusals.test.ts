import { expect, test } from 'vitest'
import { Refusals } from './refusals.ts'

const told = (refusals: Refusals) => refusals.newestFirst().map(({ mac, count }) => `${mac} ${count}`)

test('a new client is told at once, one that keeps knocking once a minute', () => {
  const refusals = new Refusals()
  expect(told(refusals)).toEqual([])
  refusals.add('a', 'UnknownClient', 1000)
  expect(told(refusals)).toEqual(['a 1'])
  for (let second = 2; second < 60; second++) refusals.add('a', 'UnknownClient', second * 1000)
  expect(told(refusals)).toEqual(['a 1'])
  refusals.add('a', 'UnknownClient', 61_000)
  expect(told(refusals)).toEqual(['a 60'])
  refusals.add('b', 'PoolExhausted', 62_000)
  expect(told(refusals)).toEqual(['b 1', 'a 60'])
})

test('the eleventh pushes out the one that was refused first', () => {
  const refusals = new Refusals()
  for (let number = 0; number < 11; number++) refusals.add(`m${number}`, 'UnknownClient', number)
  expect(told(refusals)).toHaveLength(10)
  expect(told(refusals)[0]).toBe('m10 1')
  expect(told(refusals)).not.toContain('m0 1')
})
