import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Unanswered, type UnansweredQuestion } from './unanswered.ts'

const from = { address: '192.0.2.1', port: 5353 }

it('lists what came and did not go, in the order it came', () => {
  /** A number takes away the n-th that is there, nothing adds one. */
  const steps = fc.array(fc.option(fc.nat({ max: 6 })), { maxLength: 60 })
  fc.assert(
    fc.property(steps, (series) => {
      const unanswered = new Unanswered()
      const expected: UnansweredQuestion[] = []
      for (const [index, place] of series.entries()) {
        if (place === null) expected.push(unanswered.add(Uint8Array.of(index), from))
        else for (const gone of expected.splice(place, 1)) unanswered.remove(gone)
        expect(unanswered.list()).toEqual([...expected])
      }
    }),
  )
})
