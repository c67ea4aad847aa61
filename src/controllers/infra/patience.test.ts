import { expect, test } from 'vitest'
import type { OwnObject } from '../shared/kinds.ts'
import { Patience } from './patience.ts'

const infra = (uid: string, generation: number): OwnObject => ({
  apiVersion: 'v1',
  kind: 'Infra',
  metadata: { name: 'c1', namespace: 'n', uid, generation },
})

test('it ends five seconds after the first question, however often it is asked', () => {
  const patience = new Patience()
  expect(patience.restMs(infra('a', 1), 1000)).toBe(5000)
  expect(patience.restMs(infra('a', 1), 2500)).toBe(3500)
  expect(patience.restMs(infra('a', 1), 6000)).toBe(0)
  expect(patience.restMs(infra('a', 1), 9000)).toBe(0)
})

test('there is new one for another generation and for another object', () => {
  const patience = new Patience()
  patience.restMs(infra('a', 1), 1000)
  expect(patience.restMs(infra('a', 2), 9000)).toBe(5000)
  expect(patience.restMs(infra('b', 1), 9000)).toBe(5000)
  patience.forget(infra('a', 2))
  expect(patience.restMs(infra('a', 2), 20_000)).toBe(5000)
})
