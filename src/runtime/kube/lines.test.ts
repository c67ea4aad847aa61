import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineCutter } from './lines.ts'

test('lines are the same however they are cut into chunks', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '\n', '{', '€') })
  fc.assert(
    fc.property(text, fc.array(fc.nat(20)), (whole, cuts) => {
      const cutter = new LineCutter(1000)
      const lines: string[] = []
      let rest = Buffer.from(whole)
      for (const cut of [...cuts, rest.length]) {
        lines.push(...(cutter.push(rest.subarray(0, cut)) ?? []))
        rest = rest.subarray(cut)
      }
      lines.push(...(cutter.push(rest) ?? []))
      expect([...lines, cutter.rest()]).toEqual(whole.split('\n'))
    }),
  )
})

test('a line without end is refused before it fills the memory', () => {
  const cutter = new LineCutter(10)
  expect(cutter.push(Buffer.from('0123456789'))).toEqual([])
  expect(cutter.push(Buffer.from('0'))).toBeUndefined()
})
