import { objectSchema } from '../../src/api/crd/definition.ts'
import type { StructuralSchema } from '../../src/api/crd/structural.ts'
import type { KindDefinition } from '../../src/api/kinds.ts'

/** The reference page of one kind: every field with type, default, limits and meaning, and the rules between them. */
export function kindReference<Resource>(definition: KindDefinition<Resource>): string {
  const { properties = {} } = objectSchema(definition)
  const parts = ['spec', 'status'].flatMap((part) => (properties[part] ? [section(part, properties[part])] : []))
  const shortNames = definition.shortNames.map((name) => `\`${name}\``).join(', ')
  return `# ${definition.kind}

\`hostedcluster.densityops.com/v1alpha1\`, \`kubectl get ${definition.plural}\`, short: ${shortNames}.
${properties.spec?.description ?? ''}

${[...parts, ...rules(definition)].join('\n')}`
}

function section(name: string, schema: StructuralSchema): string {
  const rows = fieldRows(schema, '')
  return `## ${name}\n\n| field | type | default | limits | meaning |\n| --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`
}

function fieldRows(schema: StructuralSchema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const isRequired = schema.required?.includes(name) && field.default === undefined
    const cells = [
      `\`${path}\``,
      typeOf(field),
      isRequired ? 'required' : defaultOf(field),
      limitsOf(field).join('; '),
      field.description ?? '',
    ]
    return [`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`, ...nestedRows(field, path)]
  })
}

function nestedRows(field: StructuralSchema, path: string): string[] {
  return field.items ? fieldRows(field.items, `${path}[].`) : fieldRows(field, `${path}.`)
}

function typeOf(field: StructuralSchema): string {
  if (field.enum) return field.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (field.items) return `list of ${typeOf(field.items)}`
  return field.additionalProperties ? 'map' : field.type
}

function defaultOf(field: StructuralSchema): string {
  if (field.default === undefined || field.properties) return ''
  return `\`${JSON.stringify(field.default)}\``
}

/** What the API server asks of the value itself; of a list, of each entry. */
function limitsOf(field: StructuralSchema): string[] {
  const { minimum, maximum, minItems, maxItems, maxProperties, items, 'x-kubernetes-validations': checks = [] } = field
  // Checks that name a field are rules between several; they have their own part of the page.
  const formats = checks.filter(({ fieldPath }) => fieldPath === undefined && field.type === 'string')
  return [
    ...formats.map(({ message }) => message.replace(/^must be /, '')),
    ...(minimum !== undefined && maximum !== undefined ? [`${minimum} to ${maximum}`] : []),
    ...(maxItems === undefined
      ? []
      : [minItems ? `${minItems} to ${maxItems} entries` : `at most ${maxItems} entries`]),
    ...(maxProperties === undefined ? [] : [`at most ${maxProperties} names`]),
    ...(items ? limitsOf(items).map((limit) => `each ${limit}`) : []),
  ]
}

function rules<Resource>({ rules: groups }: KindDefinition<Resource>): string[] {
  const lines = groups.flatMap(({ at, rules }) =>
    rules.map(({ field, subject, message, only }) => {
      const text = subject === undefined ? message : `${subject} ${message}`
      const place = only === undefined ? '' : only === 'cluster' ? ' (in a cluster)' : ' (in a file)'
      return `- \`${[at, field].filter(Boolean).join('.')}\`: ${text}${place}`
    }),
  )
  if (lines.length === 0) return []
  return [
    `## rules\n\nWhat the fields must be to each other. The API server, and every command that reads a file, refuses an object with these words:\n\n${lines.join('\n')}\n`,
  ]
}
