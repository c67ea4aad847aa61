import { describe, expect, test } from 'vitest'
import { isKindName, type KindDefinition, kinds, type Resource } from '../kinds.ts'
import { customResourceDefinitions, objectSchema } from './definition.ts'
import type { StructuralSchema } from './structural.ts'

interface Placed {
  readonly path: string
  readonly rule: string
  readonly message: string
}

function validationsIn(schema: StructuralSchema, path: string): Placed[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ rule, message }) => ({ path, rule, message }))
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    validationsIn(field, path === '' ? name : `${path}.${name}`),
  )
  const items = schema.items ? validationsIn(schema.items, `${path}[]`) : []
  return [...own, ...fields, ...items]
}

const kindNames = Object.keys(kinds).filter(isKindName)

describe.each(kindNames)('%s', (name) => {
  const kind: KindDefinition<Resource> = kinds[name]
  const validations = validationsIn(objectSchema(kind), '')

  test('every rule that holds in a cluster is in the definition, where it belongs', () => {
    const expected = kind.rules.flatMap(({ at, rules }) =>
      rules.flatMap(({ cel, only }) => (typeof cel === 'string' && only !== 'file' ? [`${at}: ${cel}`] : [])),
    )
    expect(validations.map(({ path, rule }) => `${path}: ${rule}`)).toEqual(expect.arrayContaining(expected))
  })

  test('the rules use what Kubernetes 1.31 knows', () => {
    const functions = validations.flatMap(({ rule }) => [
      ...rule.replaceAll(/r?'[^']*'/g, '').matchAll(/([A-Za-z_]+)\(/g),
    ])
    expect(functions.map((match) => match[1]).filter((name) => !known.has(name ?? ''))).toEqual([])
  })

  test('the status has no rules: only programs write it', () => {
    expect(validations.filter(({ path }) => path.startsWith('status'))).toEqual([])
  })

  test('messages are short and on one line', () => {
    expect(validations.filter(({ message }) => message.length > 200 || message.includes('\n'))).toEqual([])
  })
})

/** Functions and macros of CEL, and those that Kubernetes had added by then. */
const known = new Set([
  ...['has', 'all', 'exists', 'exists_one', 'map', 'size', 'int', 'string', 'duration', 'matches', 'contains'],
  ...['startsWith', 'split', 'substring', 'indexOf', 'lowerAscii', 'replace', 'trim', 'orValue'],
  ...['isIP', 'ip', 'isCIDR', 'cidr', 'containsIP', 'family', 'masked', 'prefixLength'],
])

test('descriptions tell kubectl explain the default and the form of a value', () => {
  const text = JSON.stringify(customResourceDefinitions())
  expect(text).toContain(
    '"description":"How long an address is lent. Must be a duration from 1s to 87600h, such as 30s, 90m or 1h30m. Default: 1h."',
  )
  expect(text).toContain(
    'Servers asked for names that are not of the cluster; none: the resolvers of the node. Each must be',
  )
  expect(text).toContain('Log every query. Default: false.')
})

test('a definition can be applied by any kubectl, which notes the whole of it in an annotation', () => {
  const sizes = customResourceDefinitions().map((definition) => JSON.stringify(definition).length)
  expect(Math.max(...sizes)).toBeLessThan(200_000)
})

test('each kind has a status of its own, but for the one that is nothing else', () => {
  const withStatus = customResourceDefinitions().filter(({ spec }) => JSON.stringify(spec).includes('"subresources"'))
  expect(withStatus.map(({ spec }) => spec.names.kind)).toEqual(kindNames.filter((kind) => kind !== 'DHCPLease'))
})
