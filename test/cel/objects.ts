import fc, { type Arbitrary } from 'fast-check'
import { type Checked, checkResource } from '../../src/api/check.ts'
import { objectSchema } from '../../src/api/crd/definition.ts'
import { type KindDefinition, type KindName, kinds, type Resource } from '../../src/api/kinds.ts'
import { apiVersion } from '../../src/api/meta.ts'
import { anyValue } from './arbitrary.ts'
import { untangled } from './untangle.ts'

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: unknown
}

/** Objects whose fields have their formats, but may contradict each other. */
export function tangledObjects(kind: KindName): Arbitrary<Manifest> {
  return partOf(kind, 'spec').map((spec) => ({ apiVersion, kind, metadata: { name: 'generated' }, spec }))
}

/** Objects that are right as far as we can tell. */
export function goodObjects(kind: KindName): Arbitrary<Manifest> {
  return tangledObjects(kind)
    .map((object) => ({ ...object, spec: untangled(object.spec) }))
    .filter((object) => judge(kind, object).ok)
}

export function statuses(kind: KindName): Arbitrary<unknown> {
  return partOf(kind, 'status')
}

export function hasStatus(kind: KindName): boolean {
  return schemaOf(kind).properties?.status !== undefined
}

/** What we ourselves say about an object in a cluster. */
export function judge(kind: KindName, object: unknown): Checked<Resource> {
  const definition: KindDefinition<Resource> = kinds[kind]
  return checkResource(definition, object, 'cluster')
}

function partOf(kind: KindName, part: 'spec' | 'status'): Arbitrary<unknown> {
  const schema = schemaOf(kind).properties?.[part]
  return schema ? anyValue(schema, kind === 'DHCPServer' ? `dhcp.${part}` : part) : fc.constant(undefined)
}

function schemaOf(kind: KindName) {
  const definition: KindDefinition<Resource> = kinds[kind]
  return objectSchema(definition)
}
