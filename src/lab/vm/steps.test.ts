import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseConsoleLine } from './steps.ts'

describe('a console line', () => {
  it.each([
    [
      'OOOI STEP dhcp ok 120 192.168.100.20/24 via 192.168.100.1',
      'dhcp',
      true,
      120,
      '192.168.100.20/24 via 192.168.100.1',
    ],
    ['OOOI STEP api-no-sni fail 15010 curl: (28) timed out\r', 'api-no-sni', false, 15010, 'curl: (28) timed out'],
    ['OOOI STEP hostname ok 0', 'hostname', true, 0, ''],
    ['[    1.234567] random: OOOI STEP hostname ok 0 worker-1', 'hostname', true, 0, 'worker-1'],
  ])('%j is a step', (line, name, ok, ms, text) => {
    expect(parseConsoleLine(line)).toEqual({ type: 'step', step: { name, ok, ms, text } })
  })

  it('tells that all steps were tried', () => {
    expect(parseConsoleLine('OOOI BOOTED\r')).toEqual({ type: 'booted' })
  })

  it.each(['', 'step api', 'OOOI STEP', 'OOOI STEP api maybe 3 x', 'OOOI STEP api ok soon', 'OOOI BOOTED?'])(
    '%j is none of ours',
    (line) => {
      expect(parseConsoleLine(line)).toBeUndefined()
    },
  )

  it('of any text does not throw', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseConsoleLine(`OOOI STEP ${text}`)))
  })
})
