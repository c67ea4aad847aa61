import type { StructuralSchema } from './structural.ts'

/**
 * The same schema with descriptions for `kubectl explain`, which shows neither defaults nor what a text must look like.
 * The reference pages have columns for both.
 */
export function explained(schema: StructuralSchema): StructuralSchema {
  const { description, properties, items } = schema
  const told = [description, formatText(schema), formatText(items, 'Each must be'), defaultText(schema)]
  return {
    ...schema,
    ...(description === undefined ? {} : { description: told.filter(Boolean).join(' ') }),
    ...(properties ? { properties: mapValues(properties, explained) } : {}),
    ...(items ? { items: explained(items) } : {}),
  }
}

function defaultText({ default: value, properties }: StructuralSchema): string {
  if (value === undefined || properties) return ''
  return `Default: ${typeof value === 'string' && value !== '' ? value : JSON.stringify(value)}.`
}

/** Checks that name a field are about several, and stand with the object that has them. */
function formatText(schema: StructuralSchema | undefined, beginning = 'Must be'): string {
  if (schema?.type !== 'string') return ''
  const formats = (schema['x-kubernetes-validations'] ?? []).filter(({ fieldPath }) => fieldPath === undefined)
  return formats.map(({ message }) => `${beginning} ${message.replace(/^must be /, '')}.`).join(' ')
}

function mapValues<Value>(
  fields: Readonly<Record<string, Value>>,
  change: (value: Value) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]))
}
