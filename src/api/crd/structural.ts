import { z } from 'zod'

/** A structural schema: the part of OpenAPI v3 that a CRD may hold. */
export interface StructuralSchema {
  readonly description?: string
  readonly type: string
  readonly format?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly items?: StructuralSchema
  readonly properties?: Readonly<Record<string, StructuralSchema>>
  readonly additionalProperties?: StructuralSchema
  readonly required?: readonly string[]
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-validations'?: readonly Validation[]
}

export interface Validation {
  readonly rule: string
  readonly message: string
  readonly reason?: string
  readonly fieldPath?: string
}

/**
 * Texts in a spec are checked by an expression, whose message a person understands. A status is written by programs:
 * there a pattern does, which costs the API server next to nothing however long the lists are.
 */
export type Part = 'spec' | 'status'

type JsonSchema = Readonly<Record<string, unknown>>

const copied = [
  'description',
  'type',
  'default',
  'enum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'required',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
]

/** Keywords that mean something else in a CRD, or that need a look. */
const converted = [
  'format',
  'pattern',
  'minimum',
  'maximum',
  'items',
  'properties',
  'additionalProperties',
  'x-kubernetes-validations',
]

/** What zod says about one part of an object, as a CRD says it. Throws on whatever would be lost or refused there. */
export function structuralSchema(schema: z.core.$ZodType, part: Part): StructuralSchema {
  return convert(z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', unrepresentable: 'throw' }), part, part)
}

function convert(node: JsonSchema, part: Part, path: string): StructuralSchema {
  const type = typeof node.type === 'string' ? node.type : refuse(path, 'it needs exactly one type')
  for (const keyword of Object.keys(node)) {
    if (!copied.includes(keyword) && !converted.includes(keyword)) refuse(path, `a CRD has no ${keyword}`)
  }
  return {
    type,
    ...Object.fromEntries(copied.filter((keyword) => keyword in node).map((keyword) => [keyword, node[keyword]])),
    ...(type === 'string' ? textKeywords(node, part, path) : {}),
    ...(type === 'integer' || type === 'number' ? numberKeywords(node, type) : {}),
    ...(type === 'array' ? listKeywords(node, part, path) : {}),
    ...(type === 'object' ? objectKeywords(node, part, path) : {}),
    ...(isChecked(node, part) ? { 'x-kubernetes-validations': validationsOf(node, path) } : {}),
  }
}

function textKeywords(node: JsonSchema, part: Part, path: string) {
  if (node.enum === undefined && node.maxLength === undefined) refuse(path, 'a text needs a longest length')
  const { pattern, format } = node
  if (typeof pattern === 'string' && /\(\?[=!<]|\\[1-9ukc]/.test(pattern)) {
    refuse(path, `RE2 has no such pattern: ${pattern}`)
  }
  return {
    ...(typeof pattern === 'string' && !isChecked(node, part) ? { pattern } : {}),
    // To an expression, a text with a format is no text.
    ...(typeof format === 'string' && !isChecked(node, part) ? { format } : {}),
  }
}

function isChecked(node: JsonSchema, part: Part): boolean {
  return part === 'spec' && 'x-kubernetes-validations' in node
}

/** Without bounds of its own, zod gives an integer those of a double; a CRD says it by the format. */
function numberKeywords({ minimum, maximum }: JsonSchema, type: string) {
  const [least, most] = [Number(minimum ?? Number.NEGATIVE_INFINITY), Number(maximum ?? Number.POSITIVE_INFINITY)]
  const fits32Bits = least >= -(2 ** 31) && most < 2 ** 31
  return {
    ...(type === 'integer' ? { format: fits32Bits ? 'int32' : 'int64' } : { format: 'double' }),
    ...(least > Number.MIN_SAFE_INTEGER ? { minimum: least } : {}),
    ...(most < Number.MAX_SAFE_INTEGER ? { maximum: most } : {}),
  }
}

function listKeywords(node: JsonSchema, part: Part, path: string) {
  if (node.maxItems === undefined) refuse(path, 'a list needs a longest length')
  return { items: isSchema(node.items) ? convert(node.items, part, `${path}[]`) : refuse(path, 'a list of what?') }
}

function objectKeywords(node: JsonSchema, part: Part, path: string) {
  const { properties, additionalProperties } = node
  if (isSchema(additionalProperties)) {
    if (isSchema(properties)) refuse(path, 'it is a map and has fields')
    if (node.maxProperties === undefined) refuse(path, 'a map needs a largest size')
    return { additionalProperties: convert(additionalProperties, part, `${path}{}`) }
  }
  // Unknown fields are refused by zod; the API server removes them, or refuses them when asked to be strict.
  if (additionalProperties !== false || !isSchema(properties)) refuse(path, 'its fields must be known')
  const fields = Object.entries(properties).map(([name, field]) => {
    const schema = isSchema(field) ? field : refuse(`${path}.${name}`, 'it has no schema')
    return [name, convert(schema, part, `${path}.${name}`)] as const
  })
  return { properties: Object.fromEntries(fields) }
}

function validationsOf(node: JsonSchema, path: string): readonly Validation[] {
  const parsed = z
    .array(z.strictObject({ rule: z.string().min(1), message: z.string().min(1) }))
    .safeParse(node['x-kubernetes-validations'])
  return parsed.success ? parsed.data : refuse(path, 'its validations are malformed')
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function refuse(path: string, why: string): never {
  throw new Error(`${path} cannot be part of a CRD: ${why}`)
}
