import { describe, expect, test } from 'vitest'
import { readDocuments } from './documents.ts'

function values(text: string): unknown[] {
  const { documents, problems } = readDocuments(text, 'x.yaml')
  expect(problems).toEqual([])
  return documents.map(({ value }) => value)
}

function problemsOf(text: string): { message: string; line: number | undefined }[] {
  return readDocuments(text, 'x.yaml').problems.map(({ message, at }) => ({ message, line: at?.line }))
}

describe('reads', () => {
  test.each<[string, string, unknown[]]>([
    ['nothing', '', []],
    ['only comments', '# nothing\n---\n# here\n', []],
    ['several documents', 'a: 1\n---\nb: 2\n', [{ a: 1 }, { b: 2 }]],
    ['JSON, also with tabs', '{\n\t"a": [1,\n\t2]\n}', [{ a: [1, 2] }]],
    [
      'what kubectl takes for true and false',
      '[yes, On, TRUE, no, OFF, y, "yes"]',
      [[true, true, true, false, false, true, 'yes']],
    ],
    ['MAC addresses as text', 'mac: 52:54:00:12:34:56', [{ mac: '52:54:00:12:34:56' }]],
    ['anchors and merges', 'a: &a {x: 1}\nb: {<<: *a, z: 2}', [{ a: { x: 1 }, b: { x: 1, z: 2 } }]],
    ['a byte order mark and carriage returns', '\ufeffa: 1\r\nb: 2\r\n', [{ a: 1, b: 2 }]],
  ])('%s', (_, text, expected) => {
    expect(values(text)).toEqual(expected)
  })
})

describe('refuses', () => {
  test.each([
    ['a tab as indentation', 'a:\n\tb: 1', 2, 'indented with spaces alone'],
    ['a tab among spaces, once', 'a:\n  b: 1\n\tc: 2\nd:\n  e: 1\n  f: 2\n', 3, 'indented with spaces alone'],
    ['a missing bracket', 'a: 1\nb: [1, 2\n', 3, 'a ] is missing'],
    ['a brace that is not closed', 'a: {\n  b: 1\n', 3, 'a } is missing'],
    ['JSON that is cut off', '{\n  "a": [\n    1,\n', 3, 'the JSON ends too early'],
    ['JSON without a comma', '{\n  "a": 1\n  "b": 2\n}', 3, "Expected ',' or '}' after property value, at column 3"],
    ['something after JSON', '{\n  "a": 1\n}\nb', 4, 'Unexpected non-whitespace character, at column 1'],
    ['JSON with a word that is none', '{\n  "a": {"b": [1, 2}\n}', 2, "Expected ',' or ']' after array element"],
    ['indentation that fits nothing', 'a:\n    b: 1\n  c: 2\n', 3, 'does not fit the lines above'],
    ['an unknown alias', 'a: 1\nb: *nothing', 2, 'refers to no anchor'],
    ['a key that is there twice', 'a:\n  b: 1\n  c: 2\n  b: 3\n', 4, 'b is there twice'],
  ])('%s', (_, text, line, message) => {
    expect(problemsOf(text)).toEqual([{ line, message: expect.stringContaining(message) }])
  })

  test('aliases that would fill the memory', () => {
    const levels = Array.from({ length: 12 }, (_, level) => `a${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}x]`)
    expect(problemsOf(levels.join('\n').replaceAll('*a-1', 'x'))).toMatchObject([
      { message: expect.stringContaining('unfold') },
    ])
  })

  test('what is too large to be a manifest', () => {
    expect(problemsOf('a'.repeat(2_000_000))).toMatchObject([{ message: expect.stringContaining('characters') }])
  })

  test.each(['[', '{"a":', '- ', '? ', 'a: '])('deep nesting of %j', (level) => {
    expect(problemsOf(level.repeat(5000))).toHaveLength(1)
  })
})

test('a file full of mistakes is reported briefly', { timeout: 60_000 }, () => {
  expect(problemsOf('a:\n'.repeat(150_000)).length).toBeLessThanOrEqual(10)
})

test('knows the line of every field, and of the nearest one around a missing field', () => {
  const { documents } = readDocuments(
    'x: 0\n---\nkind: A\nspec:\n  list:\n    - a: 1\n      b: 2\n    - a: 3\n',
    'x.yaml',
  )
  const lineOf = documents[1]?.lineOf
  expect(lineOf?.([])).toBe(3)
  expect(lineOf?.(['spec'])).toBe(4)
  expect(lineOf?.(['spec', 'list', 0, 'b'])).toBe(7)
  expect(lineOf?.(['spec', 'list', 1, 'missing', 'too'])).toBe(8)
  expect(lineOf?.(['nothing'])).toBe(3)
})

test('thousands of keys take no more than their share of time', { timeout: 60_000 }, () => {
  const text = Array.from({ length: 40_000 }, (_, index) => `k${index}: 1`).join('\n')
  expect(values(text)).toHaveLength(1)
})
