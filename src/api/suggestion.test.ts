import fc from 'fast-check'
import { expect, test } from 'vitest'
import { suggest } from './suggestion.ts'

const known = ['serverIP', 'serverIPs', 'rangeStart', 'rangeEnd', 'mtu']

test.each([
  ['serverIp', 'serverIP'],
  ['ServerIPs', 'serverIPs'],
  ['rangestart', 'rangeStart'],
  ['rangStart', 'rangeStart'],
  ['ragneEnd', 'rangeEnd'],
  ['mtv', 'mtu'],
  ['mt', 'mtu'],
  ['xyz', undefined],
  ['gateway', undefined],
  ['', undefined],
])('%j means %j', (written, expected) => {
  expect(suggest(written, known)).toBe(expected)
})

test('a name with one letter changed is found again', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('rangeStart', 'rangeEnd', 'serverIPs'),
      fc.nat(7),
      fc.constantFrom('x', '', 'qq'),
      (name, at, by) => {
        expect(suggest(name.slice(0, at) + by + name.slice(at + 1), ['rangeStart', 'rangeEnd', 'serverIPs'])).toBe(name)
      },
    ),
  )
})
