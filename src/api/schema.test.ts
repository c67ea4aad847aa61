import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { kinds } from './kinds.ts'

interface Node {
  readonly type?: string | undefined
  readonly enum?: unknown
  readonly pattern?: string | undefined
  readonly maxLength?: number | undefined
  readonly maxItems?: number | undefined
  readonly description?: string | undefined
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly additionalProperties?: boolean | Node
}

interface Place {
  readonly path: string
  readonly node: Node
  readonly isField: boolean
}

function walk(path: string, node: Node, isField = true): Place[] {
  const fields = Object.entries(node.properties ?? {}).flatMap(([name, field]) => walk(`${path}.${name}`, field))
  const items = node.items ? walk(`${path}[]`, node.items, false) : []
  const values =
    typeof node.additionalProperties === 'object' ? walk(`${path}{}`, node.additionalProperties, false) : []
  return [{ path, node, isField }, ...fields, ...items, ...values]
}

function paths(places: readonly Place[]): string[] {
  return places.map(({ path }) => path)
}

/** What the API server asks of a structural schema, and what keeps the cost of its rules bounded. */
describe.each(Object.values(kinds))('$kind', ({ schema }) => {
  const whole: Node = JSON.parse(JSON.stringify(z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input' })))
  const { spec, status } = whole.properties ?? {}
  const places = [...walk('spec', spec ?? {}), ...(status ? walk('status', status) : [])]

  test('every part has one type', () => {
    expect(paths(places.filter(({ node }) => node.type === undefined))).toEqual([])
    expect(JSON.stringify({ spec, status })).not.toMatch(/"(anyOf|oneOf|allOf|not|const|\$ref)"/)
  })

  test('every text and every list has a bound', () => {
    const texts = places.filter(({ node }) => node.type === 'string' && !node.enum && node.maxLength === undefined)
    const lists = places.filter(({ node }) => node.type === 'array' && node.maxItems === undefined)
    expect(paths([...texts, ...lists])).toEqual([])
  })

  test('every field is described in a sentence', () => {
    expect(
      paths(places.filter(({ node, isField }) => isField && !/^[A-Z*].*\.$/s.test(node.description ?? ''))),
    ).toEqual([])
  })

  test('patterns are ones that RE2 has', () => {
    expect(paths(places.filter(({ node }) => /\(\?[=!<]|\\[1-9]/.test(node.pattern ?? '')))).toEqual([])
  })
})
