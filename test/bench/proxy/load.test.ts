import { expect, it } from 'vitest'
import { outcomeOf, parseLoad } from './load.ts'

const line = '{"operations":4000,"bytes":2500000000,"wrong":0,"failures":0,"seconds":2}\n'

it('counts operations, and gigabits where data flows in bulk', () => {
  const report = parseLoad(line, 'oooi')
  expect(outcomeOf('connect', report)).toEqual({ operations: 4000, perSecond: 2000, lostShare: 0 })
  expect(outcomeOf('download', report)).toEqual({ operations: 20, perSecond: 10, lostShare: 0 })
})

it('failed connections are lost operations', () => {
  const report = parseLoad(line.replace('"failures":0', '"failures":1000'), 'oooi')
  expect(outcomeOf('echo', report).lostShare).toBe(0.2)
})

it('a wrong byte is no result', () => {
  expect(() => parseLoad(line.replace('"wrong":0', '"wrong":7'), 'oooi')).toThrow('oooi corrupts data: 7 bytes')
})

it('says so when the generator did not run', () => {
  expect(() => parseLoad('load: listen: Address already in use\n', 'oooi')).toThrow('Address already in use')
})
