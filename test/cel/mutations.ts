import fc, { type Arbitrary } from 'fast-check'
import type { FieldPath } from '../../src/api/fieldpath.ts'
import { valueAt } from '../../src/api/fieldpath.ts'
import { type Plain, withChange } from '../../src/api/testing/change.ts'
import type { Manifest } from './objects.ts'

/** Values that are wrong in most places and right in some, among them the corners of the network in the objects. */
const oddValues: readonly Plain[] = [
  '',
  'x',
  'A.b',
  'a_b.example.com',
  '*.example.com',
  'a'.repeat(64),
  'a'.repeat(300),
  '192.168.100.0',
  '192.168.100.255',
  '192.168.100.1',
  '192.168.100.2/24',
  '192.168.100.300',
  '10.9.9.9',
  '10.9.9.9/32',
  '192.168.0.0/16',
  '192.168.100.2/31',
  '192.168.100.9-192.168.100.3',
  '::ffff:10.0.0.1',
  'fd00::1',
  '02:00:00:00:00:01',
  '1d',
  '0s',
  '1h',
  '999999h',
  'tls://9.9.9.9#',
  '10.0.0.53:0',
  -1,
  0,
  1,
  26,
  443,
  65_536,
  1.5,
  true,
  false,
  [],
  {},
]

/** The object with one thing changed: removed, replaced, doubled, misspelt, or taken from elsewhere in the object. */
export function mutated(object: Manifest): Arbitrary<unknown> {
  const places = placesIn(object.spec, ['spec'])
  if (places.length === 0) return fc.constant(object)
  const place = fc.constantFrom(...places)
  return fc.oneof(
    { weight: 2, arbitrary: place.map((path) => withChange(object, path, undefined)) },
    {
      weight: 4,
      arbitrary: fc.tuple(place, fc.constantFrom(...oddValues)).map(([path, odd]) => withChange(object, path, odd)),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(place, place).map(([path, from]) => withChange(object, path, plainAt(object, from))),
    },
    { weight: 2, arbitrary: place.map((path) => doubled(object, path)) },
    { weight: 1, arbitrary: place.map((path) => withChange(object, misspelt(path), 'x')) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('a'.repeat(49), 'a.b', 'A', `${'a'.repeat(54)}x`)
        .map((name) => ({ ...object, metadata: { name } })),
    },
  )
}

function placesIn(value: unknown, path: FieldPath): FieldPath[] {
  if (typeof value !== 'object' || value === null) return []
  const keys: readonly (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  return keys.flatMap((key) => [[...path, key], ...placesIn(valueAt(value, [key]), [...path, key])])
}

/** Generated objects hold nothing that is not plain. */
function plainAt(object: unknown, path: FieldPath): Plain {
  return JSON.parse(JSON.stringify(valueAt(object, path)))
}

/** The list around an entry, with that entry twice. */
function doubled(object: unknown, path: FieldPath): unknown {
  const around = path.slice(0, -1)
  const list = valueAt(object, around)
  return Array.isArray(list) ? withChange(object, around, [...list, plainAt(object, path)]) : object
}

function misspelt(path: FieldPath): FieldPath {
  const last = path.at(-1)
  return typeof last === 'string' ? [...path.slice(0, -1), `${last}s`] : path
}
