import fc, { type Arbitrary } from 'fast-check'
import type { StructuralSchema } from '../../src/api/crd/structural.ts'

/**
 * Values that fit a schema. Single fields always have their format; whether the fields fit each other is left to
 * chance, helped by the values below: addresses come from one network, and entries of a list differ.
 */
export function anyValue(schema: StructuralSchema, path: string, indexes: readonly number[] = []): Arbitrary<unknown> {
  const known = knownValues.find(([pattern]) => pattern.test(path))
  if (known) return known[1](indexes)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'integer') return numberOf(schema, indexes)
  if (schema.type === 'array') return listOf(schema, path, indexes)
  if (schema.type === 'string') return textOf(schema, path, indexes)
  return schema.additionalProperties ? mapOf(schema, path, indexes) : fieldsOf(schema, path, indexes)
}

type Values = (indexes: readonly number[]) => Arbitrary<unknown>

const constant =
  (value: string): Values =>
  () =>
    fc.constant(value)

/** The one network everything is on, and the places on it. */
const knownValues: readonly (readonly [RegExp, Values])[] = [
  [/networkConfig\.cidr$|secondaryNetworkCIDR$/, constant('192.168.100.0/24')],
  [/networkConfig\.gateway$/, constant('192.168.100.1')],
  [/dhcp\.serverIP$/, constant('192.168.100.2')],
  [/dns\.serverIP$/, constant('192.168.100.3/24')],
  [/serverIP$|proxyIP$/, constant('192.168.100.10')],
  [/serverIPs\[\]$/, (indexes) => fc.constant(`192.168.100.${10 + tag(indexes)}`)],
  [/rangeStart$/, constant('192.168.100.100')],
  [/rangeEnd$/, constant('192.168.100.200')],
  [/appsIngress\.address$/, constant('192.168.100.240')],
  [/(start|expires)$/, constant('2026-01-31T12:00:00.000Z')],
]

/** One number for each place in nested lists, so that what must differ does. */
function tag(indexes: readonly number[]): number {
  return indexes.reduce((sum, index) => sum * 4 + index + 1, 0)
}

function numberOf({ minimum = 0, maximum = 2 ** 31 - 1 }: StructuralSchema, indexes: readonly number[]) {
  const distinct = minimum + 17 + tag(indexes)
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(Math.min(distinct, maximum)) },
    fc.integer({ min: minimum, max: maximum }),
  )
}

function listOf(schema: StructuralSchema, path: string, indexes: readonly number[]) {
  const { items, minItems = 0, maxItems = 3 } = schema
  if (!items) throw new Error(`${path} is a list of nothing`)
  return fc
    .integer({ min: minItems, max: Math.min(3, maxItems) })
    .chain((length) =>
      fc.tuple(...Array.from({ length }, (_, index) => anyValue(items, `${path}[]`, [...indexes, index]))),
    )
    .filter((list) => isDistinct(list, schema))
}

/** No two entries of a set are equal, and no two of a map have the same key. */
function isDistinct(list: readonly unknown[], schema: StructuralSchema): boolean {
  const keys = schema['x-kubernetes-list-map-keys']
  if (!keys && schema['x-kubernetes-list-type'] !== 'set') return true
  return new Set(list.map((item) => JSON.stringify(item, keys && [...keys]))).size === list.length
}

/** Made once: to make it takes thirty times as long as all else of an object. */
const labelKeys = fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8})?$/)

function mapOf(
  { additionalProperties, minProperties = 0 }: StructuralSchema,
  path: string,
  indexes: readonly number[],
) {
  if (!additionalProperties) throw new Error(`${path} is a map to nothing`)
  return fc.dictionary(labelKeys, anyValue(additionalProperties, `${path}{}`, indexes), {
    minKeys: minProperties,
    maxKeys: 3,
    noNullPrototype: true,
  })
}

function fieldsOf({ properties = {}, required = [] }: StructuralSchema, path: string, indexes: readonly number[]) {
  const fields: Record<string, Arbitrary<unknown>> = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, anyValue(field, `${path}.${name}`, indexes)]),
  )
  return fc.record(fields, { requiredKeys: [...required], noNullPrototype: true })
}

function textOf(schema: StructuralSchema, path: string, indexes: readonly number[]): Arbitrary<string> {
  const message = schema['x-kubernetes-validations']?.[0]?.message
  if (message !== undefined) {
    const format = formats.find(([words]) => message.includes(words))
    if (!format) throw new Error(`${path} ${message}: no example is known`)
    return fc.constantFrom(...format[1](tag(indexes)))
  }
  const { pattern, minLength = 0, maxLength = 64 } = schema
  if (schema.format === 'date-time') return fc.constant('2026-01-31T12:00:00Z')
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { maxLength })
  return fc.string({ minLength, maxLength: Math.min(maxLength, 20) })
}

/** Examples of each format, by the words in which the schema demands it; `tag` makes those of one place its own. */
const formats: readonly (readonly [words: string, examples: (tag: number) => string[]])[] = [
  [
    'an IPv4 address, or a range',
    (tag) => [`192.168.100.${20 + tag}`, `192.168.100.${20 + tag}-192.168.100.${60 + tag}`],
  ],
  ['an IPv4 address such as', (tag) => [`192.168.100.${20 + tag}`]],
  ['an IPv4 or IPv6 address', (tag) => [`192.168.100.${20 + tag}`, `fd00::${tag}`, `::1.2.3.${tag}`]],
  ['an IPv4 network', (tag) => [`10.${tag}.0.0/16`, `10.1.${tag}.0/24`, `10.1.1.${tag}/32`, '0.0.0.0/0']],
  ['ranges such as', (tag) => [`10.0.0.${tag}-10.0.0.200`, `10.0.0.0/24 , 10.0.1.${tag}`]],
  ['id/ and the client', () => ['02:00:00:00:00:01', 'id/0102ff']],
  ['a MAC address', (tag) => [`02:00:00:00:00:${hex(tag)}`, `02-00-00-00-00-${hex(tag).toUpperCase()}`]],
  ['bytes in hexadecimal', () => ['ff', '0102ff']],
  ['a name in lower case', (tag) => [`h${tag}.example.com`, `*.w${tag}.example.com`, `_x${tag}`]],
  ['with a leading star', (tag) => [`h${tag}.example.com`, `*.W${tag}.Example.com.`, `_x${tag}`]],
  ['a DNS name such as', (tag) => [`c${tag}.example.com`, `C${tag}.Example.com.`, `c${tag}`]],
  ['lower-case letters, digits and hyphens, no dots', (tag) => [`n${tag}`, `a-${tag}-b`]],
  ['the name of a Kubernetes object', (tag) => [`o${tag}`, `o-${tag}.example.com`, `${'o'.repeat(100)}${tag}`]],
  ['an address such as', (tag) => [`10.0.0.${tag}`, `t${tag}.example.com`, `fd00::${tag}`]],
  ['the address of a DNS server', (tag) => [`10.0.0.${tag}`, `10.0.0.${tag}:5353`, `[fd00::${tag}]:53`, 'resolv.conf']],
  ['a duration from', () => ['1s', '1.5s', '1s500ms']],
  ['an amount of storage', () => ['25Mi', '1', '10G']],
  ['a path that begins', (tag) => ['/', `/p${tag}`]],
]

function hex(number: number): string {
  return (number % 256).toString(16).padStart(2, '0')
}
