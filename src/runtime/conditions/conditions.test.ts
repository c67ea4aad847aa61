import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Condition, type Statement, statedConditions, summary } from './conditions.ts'

const first = Date.UTC(2026, 0, 1, 12, 0, 0, 500)
const later = Date.UTC(2026, 0, 1, 13)

function say(type: string, status: Condition['status'], message = ''): Statement {
  return { type, status, reason: 'Because', message, observedGeneration: 1 }
}

describe('the time of the last change', () => {
  const before = statedConditions(undefined, [say('Ready', 'False', 'starting')], first)

  test('is when a condition is first stated, in whole seconds', () => {
    expect(before).toEqual([{ ...say('Ready', 'False', 'starting'), lastTransitionTime: '2026-01-01T12:00:00Z' }])
  })

  test('stays while the status stays, whatever else is said', () => {
    const after = statedConditions(
      before,
      [{ ...say('Ready', 'False', 'still starting'), observedGeneration: 2 }],
      later,
    )
    expect(after[0]).toMatchObject({ message: 'still starting', lastTransitionTime: '2026-01-01T12:00:00Z' })
  })

  test('moves when the status changes', () => {
    expect(statedConditions(before, [say('Ready', 'True')], later)[0]?.lastTransitionTime).toBe('2026-01-01T13:00:00Z')
  })

  test('stated twice in a row is the same, byte by byte', () => {
    const statement = fc.record({
      type: fc.constantFrom('Ready', 'Accepted', 'Available', 'Degraded'),
      status: fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const),
      reason: fc.constant('Because'),
      message: fc.string(),
    })
    const statements = fc.uniqueArray(statement, { selector: ({ type }) => type })
    fc.assert(
      fc.property(statements, fc.nat(), fc.nat(), (said, one, other) => {
        const once = statedConditions([], said, one)
        expect(JSON.stringify(statedConditions(once, said.toReversed(), other))).toBe(JSON.stringify(once))
      }),
    )
  })
})

test('the order is the same whatever the order of statements', () => {
  const conditions = statedConditions([], [say('Zone', 'True'), say('Accepted', 'True'), say('Ready', 'True')], first)
  expect(conditions.map(({ type }) => type)).toEqual(['Ready', 'Accepted', 'Zone'])
})

test('what is not stated any more goes', () => {
  const before = statedConditions([], [say('Mine', 'True'), say('Theirs', 'True')], first)
  expect(statedConditions(before, [say('Mine', 'True')], later).map(({ type }) => type)).toEqual(['Mine'])
})

test('a message longer than the API allows is cut', () => {
  expect(statedConditions([], [say('Ready', 'True', 'x'.repeat(40_000))], first)[0]?.message).toHaveLength(32_768)
})

describe('a summary', () => {
  const good = { reason: 'AllReady', message: 'all is well', observedGeneration: 1 }

  test('is True only if all parts are', () => {
    expect(summary('Ready', [say('A', 'True'), say('B', 'True')], good)).toEqual({
      ...good,
      type: 'Ready',
      status: 'True',
    })
  })

  test('names the culprit; False weighs more than Unknown', () => {
    const parts = [say('A', 'True'), say('B', 'Unknown', 'not seen yet'), say('C', 'False', 'no pod')]
    expect(summary('Ready', parts, good)).toMatchObject({ status: 'False', reason: 'Because', message: 'C: no pod' })
    expect(summary('Ready', parts.slice(0, 2), good)).toMatchObject({ status: 'Unknown', message: 'B: not seen yet' })
  })
})
