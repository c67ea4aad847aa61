import { expect, test } from 'vitest'
import { isOlder } from './resource-version.ts'

test.each([
  ['9', '10', true],
  ['10', '9', false],
  ['10', '10', false],
  ['9007199254740993', '9007199254740994', true],
  ['abc', '10', false],
  ['1', 'abc', false],
  [undefined, '1', false],
])('%s is older than %s: %s', (one, other, expected) => {
  expect(isOlder(one, other)).toBe(expected)
})
