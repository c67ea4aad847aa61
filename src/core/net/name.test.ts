import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isHostLabel, isWithin, parseDnsName, parseHostnamePattern } from './name.ts'

const longLabel = 'a'.repeat(63)

describe('names', () => {
  test.each([
    ['api.c1.example.com', 'api.c1.example.com'],
    ['API.C1.Example.COM.', 'api.c1.example.com'],
    ['_tcp.example.com', '_tcp.example.com'],
    ['localhost', 'localhost'],
    [`${longLabel}.com`, `${longLabel}.com`],
    [`${longLabel}a.com`, undefined],
    ['', undefined],
    ['.', undefined],
    ['a..b', undefined],
    ['.a', undefined],
    ['a.com..', undefined],
    ['-a.com', undefined],
    ['a-.com', undefined],
    ['a b.com', undefined],
    ['*.a.com', undefined],
    ['bücher.example', undefined],
    [`${'a.'.repeat(126)}a`, `${'a.'.repeat(126)}a`],
    [`${'a.'.repeat(127)}a`, undefined],
  ])('%j', (text, expected) => {
    expect(parseDnsName(text)).toBe(expected)
  })
})

describe('patterns', () => {
  test.each([
    ['*.apps.c1.example.com', '*.apps.c1.example.com'],
    ['*.APPS.example.com', '*.apps.example.com'],
    ['api.example.com', 'api.example.com'],
    ['*', undefined],
    ['*.', undefined],
    ['*.*.com', undefined],
    ['a.*.com', undefined],
    ['*a.com', undefined],
    [`*.${'a.'.repeat(125)}a`, `*.${'a.'.repeat(125)}a`],
    [`*.${'a.'.repeat(126)}a`, undefined],
  ])('%j', (text, expected) => {
    expect(parseHostnamePattern(text)).toBe(expected)
  })
})

test('a canonical name is its own canonical name', () => {
  fc.assert(
    fc.property(fc.oneof(fc.domain(), fc.string()), (text) => {
      const name = parseHostnamePattern(text)
      if (name !== undefined) expect(parseHostnamePattern(name)).toBe(name)
    }),
  )
})

test.each([
  ['worker-1', true],
  ['1', true],
  ['Worker', false],
  ['a_b', false],
  ['a.b', false],
  ['', false],
  [longLabel, true],
  [`${longLabel}a`, false],
])('host label %j: %s', (text, expected) => {
  expect(isHostLabel(text)).toBe(expected)
})

test.each([
  ['c1.example.com', 'c1.example.com', true],
  ['api.c1.example.com', 'c1.example.com', true],
  ['xc1.example.com', 'c1.example.com', false],
  ['example.com', 'c1.example.com', false],
])('%s within %s: %s', (name, zone, expected) => {
  expect(isWithin(name, zone)).toBe(expected)
})
