import { z } from 'zod'
import { type KindDefinition, kinds, type Resource } from '../kinds.ts'
import { apiGroup, apiVersion } from '../meta.ts'
import { explained } from './explained.ts'
import { type StructuralSchema, structuralSchema } from './structural.ts'
import { validationsOf, withValidations } from './validations.ts'

/** A CustomResourceDefinition as far as we write one. */
export interface CustomResourceDefinition {
  apiVersion: 'apiextensions.k8s.io/v1'
  kind: 'CustomResourceDefinition'
  metadata: { name: string; labels: Record<string, string> }
  spec: {
    group: string
    names: {
      kind: string
      listKind: string
      plural: string
      singular: string
      shortNames: readonly string[]
      categories: readonly string[]
    }
    scope: 'Namespaced'
    versions: readonly object[]
  }
}

/** The definitions of all our kinds. */
export function customResourceDefinitions(): CustomResourceDefinition[] {
  return Object.values(kinds).map((kind: KindDefinition<Resource>) => customResourceDefinition(kind))
}

export function customResourceDefinition<Resource>(kind: KindDefinition<Resource>): CustomResourceDefinition {
  const singular = kind.kind.toLowerCase()
  const schema = objectSchema(kind)
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${apiGroup}`, labels: { 'app.kubernetes.io/part-of': 'oooi' } },
    spec: {
      group: apiGroup,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular,
        shortNames: kind.shortNames,
        categories: ['oooi'],
      },
      scope: 'Namespaced',
      versions: [
        {
          name: apiVersion.slice(apiGroup.length + 1),
          served: true,
          storage: true,
          additionalPrinterColumns: kind.columns,
          ...(schema.properties?.status ? { subresources: { status: {} } } : {}),
          schema: { openAPIV3Schema: explained(schema) },
        },
      ],
    },
  }
}

/** What every object has, then what is particular to the kind, then the rules between its fields. */
export function objectSchema<Resource>(kind: KindDefinition<Resource>): StructuralSchema {
  const { metadata, spec, status } = fieldsOf(kind)
  const whole: StructuralSchema = {
    type: 'object',
    description: spec.description ?? '',
    required: ['metadata', 'spec'],
    properties: {
      apiVersion: { type: 'string', description: `Always ${apiVersion}.` },
      kind: { type: 'string', description: `Always ${kind.kind}.` },
      // The only field of it that may stand here; for messages to point to.
      metadata: { type: 'object', properties: { name: { type: 'string' } } },
      spec,
      ...(status ? { status } : {}),
    },
    'x-kubernetes-validations': nameValidations(metadata),
  }
  return kind.rules.reduce((schema, group) => withValidations(schema, group.at, validationsOf(group)), whole)
}

function fieldsOf<Resource>({ kind, schema }: KindDefinition<Resource>) {
  if (!(schema instanceof z.ZodObject)) throw new Error(`${kind} is no object`)
  const { metadata, spec, status } = schema.shape
  return {
    metadata,
    spec: structuralSchema(spec, 'spec'),
    status: status === undefined ? undefined : structuralSchema(status, 'status'),
  }
}

/** The API server allows its own rules for `metadata` to be narrowed by an expression about the whole object only. */
function nameValidations(metadata: unknown) {
  const name = metadata instanceof z.ZodObject ? metadata.shape.name : undefined
  if (!(name instanceof z.ZodString)) throw new Error('metadata.name is no text')
  const { 'x-kubernetes-validations': validations = [], maxLength = 253 } = structuralSchema(name, 'spec')
  const isShort = `self.metadata.name.size() <= ${maxLength}`
  return validations.map(({ rule, message }) => ({
    rule: `${isShort} && ${rule.replaceAll(/\bself\b/g, 'self.metadata.name')}`,
    message,
    fieldPath: '.metadata.name',
  }))
}
