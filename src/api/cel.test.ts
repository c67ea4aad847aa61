import { describe, expect, test } from 'vitest'
import { and, eachTwo, every, field, ipv4Number, missing, named, or, quoted, rangeEnds } from './cel.ts'

describe('expressions read as they were meant', () => {
  test.each([
    [or('a', undefined, 'b || c', 'a'), 'a || b || c'],
    [or('f(a || b)', 'f(a || b) || c'), 'f(a || b) || c'],
    [and('a || b', 'c'), '(a || b) && c'],
    [and('a || b'), 'a || b'],
    [field('a.namespace'), 'self.a.__namespace__'],
    [missing('appsIngress.address'), '!has(self.appsIngress) || !has(self.appsIngress.address)'],
    [missing('networkConfig.gateway'), '!has(self.networkConfig.gateway)'],
    [every('a', (value) => `${value} > 0`), '!has(self.a) || self.a > 0'],
    [every('a[]', (value) => `${value} > 0`), '!has(self.a) || self.a.all(entry, entry > 0)'],
    [
      every('a[].b[]', (value) => `${value} > 0`, 'x'),
      '!has(self.a) || self.a.all(x, !has(x.b) || x.b.all(xPart, xPart > 0))',
    ],
    [named('n', 'self.a', 'self.b > n'), '[self.a].all(n, self.b > n)'],
    [quoted('a.b'), "'a.b'"],
    [quoted('a\\.b'), "r'a\\.b'"],
  ])('%s', (made, expected) => {
    expect(made).toBe(expected)
  })

  test('a comparison of entries looks at each two once', () => {
    expect(eachTwo('self', (one, other) => `${one} != ${other}`)).toMatch(
      /^\[0, 1, .*, 15\]\.all\(i, i >= self\.size\(\) \|\| \[0, 1, .*, 15\]\.all\(j, j >= i \|\| self\[i\] != self\[j\]\)\)$/,
    )
  })

  test('addresses and ranges are taken apart', () => {
    expect(ipv4Number('self.a')).toContain("self.a.split('.')")
    expect(rangeEnds('x').map((end) => end.endsWith('.trim()'))).toEqual([true, true])
  })
})

test('what would need escapes is refused: nobody could read it', () => {
  expect(() => quoted("it's")).toThrow('cannot be written into a rule')
})
