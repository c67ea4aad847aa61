import { z } from 'zod'
import type { KindDefinition } from '../../src/api/kinds.ts'

/** What of a kind the page is about; which object it is does not matter here. */
type DocumentedKind = Pick<KindDefinition<never>, 'kind' | 'plural' | 'shortNames'> & { readonly schema: z.ZodType }

interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly additionalProperties?: boolean | JsonSchema
}

/** The reference page of one kind: every field with type, default and meaning, as the schema has them. */
export function kindReference(definition: DocumentedKind): string {
  const schema = z.toJSONSchema(definition.schema, { io: 'input', target: 'openapi-3.0' }) as JsonSchema
  const parts = ['spec', 'status'].map((part) => section(part, schema.properties?.[part]))
  const shortNames = definition.shortNames.map((name) => `\`${name}\``).join(', ')
  return `# ${definition.kind}

\`hostedcluster.densityops.com/v1alpha1\`, \`kubectl get ${definition.plural}\`, short: ${shortNames}.
${schema.properties?.spec?.description ?? ''}

${parts.join('\n')}`
}

function section(name: string, schema: JsonSchema | undefined): string {
  const rows = schema ? fieldRows(schema, '') : []
  return `## ${name}\n\n| field | type | default | meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`
}

function fieldRows(schema: JsonSchema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const isRequired = schema.required?.includes(name) && field.default === undefined
    const cells = [
      `\`${path}\``,
      typeOf(field),
      isRequired ? 'required' : defaultOf(field),
      (field.description ?? '').replaceAll('|', '\\|'),
    ]
    return [`| ${cells.join(' | ')} |`, ...nestedRows(field, path)]
  })
}

function nestedRows(field: JsonSchema, path: string): string[] {
  return field.items ? fieldRows(field.items, `${path}[].`) : fieldRows(field, `${path}.`)
}

function typeOf(field: JsonSchema): string {
  if (field.enum) return field.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (field.items) return `list of ${typeOf(field.items)}`
  if (typeof field.additionalProperties === 'object') return 'map'
  return field.type ?? 'any'
}

function defaultOf(field: JsonSchema): string {
  if (field.default === undefined || field.properties) return ''
  return `\`${JSON.stringify(field.default)}\``
}
