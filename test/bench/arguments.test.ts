import { expect, it } from 'vitest'
import { readArguments } from './arguments.ts'

const known = ['dhcp', 'dns', 'proxy']

it('measures everything unless suites are named', () => {
  expect(readArguments([], known)).toMatchObject({ suites: known, pace: { rounds: 7, seconds: 2.5 }, quick: false })
  expect(readArguments(['proxy', 'dhcp', '--rounds', '3'], known)).toMatchObject({
    suites: ['dhcp', 'proxy'],
    pace: { rounds: 3 },
  })
})

it('a quick run is shorter; what is said expressly wins', () => {
  expect(readArguments(['--quick', '--seconds', '0.5'], known)).toMatchObject({
    pace: { rounds: 2, seconds: 0.5 },
    quick: true,
  })
})

it.each([
  [['smtp'], 'there is no suite smtp; there are dhcp, dns, proxy'],
  [['--rounds', '0'], '--rounds 0 is no whole number'],
  [['--rounds', 'many'], '--rounds many is no whole number'],
  [['--seconds', 'NaN'], '--seconds NaN is no number'],
  [['--fast'], "Unknown option '--fast'"],
])('%j is refused', (args, message) => {
  expect(() => readArguments(args, known)).toThrow(message)
})
