import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { z } from 'zod'
import { formatPath } from './fieldpath.ts'
import { kinds } from './kinds.ts'
import { parseManifest } from './manifest.ts'
import { goodManifests } from './testing/manifests.ts'

/** Each field of the kinds that files hold, with a value of no use: refused by its name, at its line, with what is expected. */

interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

interface Field {
  readonly path: readonly (string | number)[]
  readonly schema: Schema
}

function fieldsOf(schema: Schema, path: Field['path']): Field[] {
  const inner = schema.type === 'array' ? fieldsOf(schema.items ?? {}, [...path, 0]) : []
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, part]) => fieldsOf(part, [...path, name]))
  return [...(path.length > 0 ? [{ path, schema }] : []), ...inner, ...own]
}

/** The good object with another value at the path; lists and objects on the way are made. */
function withValue(object: unknown, [key, ...rest]: Field['path'], value: unknown): unknown {
  if (key === undefined) return value
  if (typeof key === 'number') return [withValue(Array.isArray(object) ? object[0] : undefined, rest, value)]
  const before = typeof object === 'object' && object !== null ? object : {}
  return { ...before, [key]: withValue(Reflect.get(before, key), rest, value) }
}

function nonsenseFor({ type }: Schema): unknown {
  return type === 'object' || type === 'array' ? 'nonsense' : { nonsense: true }
}

const served = ['Infra', 'InfraClusterAttachment', 'DHCPServer', 'DNSServer', 'ProxyServer'] as const

describe.each(served)('%s', (name) => {
  const whole: Schema = JSON.parse(JSON.stringify(z.toJSONSchema(kinds[name].schema, { io: 'input' })))
  const fields = fieldsOf(whole.properties?.spec ?? {}, ['spec'])

  /** What is said of the field itself when it has this value. */
  function said(path: Field['path'], value: unknown): string[] {
    const text = stringify(withValue(goodManifests[name], path, value))
    const result = parseManifest(text, 'x.yaml', [name])
    const own = (result.ok ? [] : result.problems).filter(({ field }) => field === formatPath(path))
    return own.map(({ message, at }) => `${(at?.line ?? 0) > 1 ? 'at its line' : 'anywhere'}: ${message}`)
  }

  test('every field refuses a value of no use, and says what it expects', () => {
    expect(fields.length).toBeGreaterThan(10)
    const wordless = fields.filter(
      ({ path, schema }) =>
        !said(path, nonsenseFor(schema)).some((text) => /^at its line: found .+, expected .+/.test(text)),
    )
    expect(wordless.map(({ path }) => formatPath(path))).toEqual([])
  })

  test('every field that is misspelt is named, with the right spelling', () => {
    const misspelt = fields.flatMap(({ path }) => {
      const last = path.at(-1)
      return typeof last === 'string' && path.length > 1 ? [{ last, path: [...path.slice(0, -1), `${last}x`] }] : []
    })
    const unnoticed = misspelt.filter(({ path, last }) => !said(path, 'x').some((text) => text.includes(last)))
    expect(unnoticed.map(({ path }) => formatPath(path))).toEqual([])
  })
})
