import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseOption } from './forms.ts'

function hex(code: number, text: string): string {
  const parsed = parseOption(code, text)
  return parsed.ok ? parsed.bytes.toString('hex') : `expected ${parsed.expected}`
}

describe('the value of an option by number', () => {
  test.each<[string, number, string, string]>([
    ['the comma lists of the Go program', 6, '192.168.100.3,192.168.100.4', 'c0a86403c0a86404'],
    ['with spaces', 3, ' 192.168.100.1 , 192.168.100.9 ', 'c0a86401c0a86409'],
    ['one address', 28, '192.168.100.255', 'c0a864ff'],
    ['pairs of addresses', 33, '10.1.0.1,192.168.100.1', '0a010001c0a86401'],
    ['text', 15, 'c1.example.com', Buffer.from('c1.example.com').toString('hex')],
    ['text that looks like an address, where text is meant', 66, '10.0.0.1', Buffer.from('10.0.0.1').toString('hex')],
    ['a number of one byte', 23, '64', '40'],
    ['of two bytes', 26, '1400', '0578'],
    ['several of two bytes', 25, '68,1500', '004405dc'],
    ['of four bytes', 108, '4294967295', 'ffffffff'],
    ['a negative one', 2, '-3600', 'fffff1f0'],
    ['yes', 19, 'true', '01'],
    ['no', 19, '0', '00'],
    ['domains, the second with a pointer', 119, 'a.example.com,example.com', '0161076578616d706c6503636f6d00c002'],
    ['routes', 121, '10.0.0.0/8,192.168.100.1,0.0.0.0/0,192.168.100.2', '080ac0a8640100c0a86402'],
    ['bytes', 43, '0x0104:c0a86401', '0104c0a86401'],
    ['bytes do for every code', 26, '0x0578', '0578'],
    ['an unlisted code: addresses', 224, '10.0.0.1', '0a000001'],
    ['an unlisted code: text', 224, 'hello, world', Buffer.from('hello, world').toString('hex')],
  ])('%s (%i %s)', (_name, code, text, expected) => {
    expect(hex(code, text)).toBe(expected)
  })

  test.each<[number, string, string]>([
    [6, '192.168.100.300', 'expected IPv4 addresses separated by commas'],
    [6, '', 'expected IPv4 addresses separated by commas'],
    [28, '10.0.0.1,10.0.0.2', 'expected one IPv4 address'],
    [33, '10.1.0.1', 'expected pairs of IPv4 addresses, all separated by commas'],
    [26, '70000', 'expected a whole number from 0 to 65535'],
    [26, '1400,1500', 'expected a whole number from 0 to 65535'],
    [2, '2147483648', 'expected a whole number from -2147483648 to 2147483647'],
    [19, 'maybe', 'expected true or false'],
    [119, 'not a name', 'expected DNS names separated by commas'],
    [121, '10.0.0.0/8', 'expected pairs of network and router'],
    [67, '', 'expected text'],
    [51, '3600', 'expected no option that the server itself decides on'],
    [54, '10.0.0.1', 'expected no option that the server itself decides on'],
  ])('%i %s: %s', (code, text, expected) => {
    expect(hex(code, text)).toContain(expected)
  })

  test('any text gives bytes or an expectation', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 254 }), fc.string({ unit: 'binary', maxLength: 40 }), (code, text) => {
        expect(parseOption(code, text)).toHaveProperty('ok')
      }),
    )
  })
})
