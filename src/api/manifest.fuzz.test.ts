import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { translate } from '../core/translate/translate.ts'
import { type FieldPath, formatPath } from './fieldpath.ts'
import { parseManifest } from './manifest.ts'
import { apiVersion } from './meta.ts'
import { type Plain, withChange } from './testing/change.ts'
import { goodManifests } from './testing/manifests.ts'

/** Whatever the text is: a value, or problems that are whole; and what is valid can be translated or is told why not. */
function parsesOrTells(text: string): void {
  const result = parseManifest(text, 'x.yaml')
  if (!result.ok) {
    expect(result.problems.length).toBeGreaterThan(0)
    for (const { message, at } of result.problems) {
      expect(message).not.toBe('')
      expect(at?.line).toBeGreaterThan(0)
    }
    return
  }
  for (const object of result.value.objects) {
    if (object.kind !== 'Infra') continue
    const translated = translate(object)
    if (!translated.ok) expect(translated.problems.length).toBeGreaterThan(0)
  }
}

const keys = fc.constantFrom(
  'apiVersion',
  'kind',
  'metadata',
  'spec',
  'networkConfig',
  'backends',
  'name',
  '__proto__',
  'x',
  '<<',
)
const anything: fc.Arbitrary<Plain> = fc.letrec<{ value: Plain }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      fc.string(),
      fc.ipV4(),
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constantFrom(null, apiVersion, 'Infra', 'List', 'UDP'),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
  ),
})).value

function pathsOf(value: unknown, path: FieldPath = []): FieldPath[] {
  if (typeof value !== 'object' || value === null) return [path]
  const children = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [path, ...children.flatMap(([key, child]) => pathsOf(child, [...path, key]))]
}

/** A sound manifest with a few of its fields replaced or removed. */
const mutated = fc.constantFrom(...Object.values(goodManifests)).chain((manifest) => {
  const change = fc.tuple(fc.constantFrom(...pathsOf(manifest)), fc.option(anything, { nil: undefined, freq: 4 }))
  return fc
    .array(change, { minLength: 1, maxLength: 4 })
    .map((changes) =>
      changes.reduce<unknown>((value, [path, replacement]) => withChange(value, path, replacement), manifest),
    )
})

test('any text', { timeout: 60_000 }, () => {
  const yamlish = fc.array(
    fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '&a',
      '*a',
      '!!',
      '|',
      '>',
      '#',
      '---',
      '\t',
      '%',
      '? ',
      '<<',
    ),
    { maxLength: 60 },
  )
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    yamlish.map((parts) => parts.join('')),
  )
  fc.assert(fc.property(text, parsesOrTells), { numRuns: 1000 })
})

test('any YAML and JSON', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(anything, (value) => {
      parsesOrTells(JSON.stringify(value))
      parsesOrTells(stringify(value))
    }),
    { numRuns: 500 },
  )
})

test('sound manifests with changes', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(mutated, (value) => parsesOrTells(JSON.stringify(value) ?? '')),
    { numRuns: 1000 },
  )
})

test('sound manifests with characters changed', { timeout: 60_000 }, () => {
  const texts = Object.values(goodManifests).map((manifest) => stringify(manifest))
  const edit = fc.tuple(
    fc.constantFrom(...texts),
    fc.nat(800),
    fc.nat(5),
    fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('\n', ':', '"', '\t')),
  )
  fc.assert(
    fc.property(edit, ([text, at, length, insert]) =>
      parsesOrTells(text.slice(0, at) + insert + text.slice(at + length)),
    ),
    { numRuns: 800 },
  )
})

test('huge values are refused, briefly', { timeout: 60_000 }, () => {
  const many = (count: number, entry: Plain) => Array.from({ length: count }, () => entry)
  for (const [path, value] of [
    [
      ['spec', 'backends'],
      many(4000, { name: 'a', hostname: 'a', port: 443, targetPort: 1, targetAddress: 'b', protocol: 'HTTP' }),
    ],
    [['spec', 'backends', 0, 'alternateHostnames'], many(20_000, 'a.example.com')],
    [['spec', 'networkConfig', 'serverIP'], '1'.repeat(200_000)],
    [['spec'], Object.fromEntries(many(20_000, 1).map((_, index) => [`k${index}`, 1]))],
  ] satisfies [FieldPath, Plain][]) {
    const result = parseManifest(JSON.stringify(withChange(goodManifests.ProxyServer, path, value)), 'x.json')
    expect(result.ok, formatPath(path)).toBe(false)
    const problems = result.ok ? [] : result.problems
    expect(problems.length).toBeLessThanOrEqual(100)
    expect(problems.every(({ message }) => message.length < 1000)).toBe(true)
  }
})
