import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FreeAddresses } from './free-addresses.ts'

const base = 0x0a000000

test('behaves like a sorted set, whatever is added and removed', () => {
  const size = fc.integer({ min: 1, max: 5000 })
  const operations = fc.array(fc.tuple(fc.constantFrom('add', 'remove', 'find'), fc.nat(5100)), { maxLength: 200 })
  fc.assert(
    fc.property(size, operations, (count, steps) => {
      const free = new FreeAddresses({ first: base, last: base + count - 1 })
      const model = new Set<number>()
      for (const [operation, offset] of steps) {
        const address = base + offset
        if (operation === 'add' && offset < count) model.add(address)
        if (operation === 'remove') model.delete(address)
        if (operation === 'add') free.add(address)
        if (operation === 'remove') free.remove(address)
        const next = [...model].filter((member) => member >= address).sort((a, b) => a - b)[0]
        expect(free.atOrAfter(address)).toBe(next)
        expect([free.count, free.has(address)]).toEqual([model.size, model.has(address)])
      }
    }),
  )
})

test('a range is the same as each of its addresses', () => {
  fc.assert(
    fc.property(fc.nat(3000), fc.nat(3000), (one, another) => {
      const range = { first: base + Math.min(one, another), last: base + Math.max(one, another) }
      const whole = { first: base, last: base + 3000 }
      const [atOnce, oneByOne] = [new FreeAddresses(whole), new FreeAddresses(whole)]
      atOnce.addRange(range)
      for (let address = range.first; address <= range.last; address++) oneByOne.add(address)
      for (const probe of [base, range.first - 1, range.first, range.last, range.last + 1]) {
        expect(atOnce.atOrAfter(probe)).toBe(oneByOne.atOrAfter(probe))
      }
      expect(atOnce.count).toBe(oneByOne.count)
    }),
  )
})

test('the whole of 10.0.0.0/8', () => {
  const free = new FreeAddresses({ first: base, last: base + 0xffffff })
  free.add(base + 0xffffff)
  expect(free.atOrAfter(base)).toBe(base + 0xffffff)
  free.remove(base + 0xffffff)
  expect(free.atOrAfter(base)).toBeUndefined()
})
