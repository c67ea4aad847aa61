import { z } from 'zod'
import type { Loose } from './rules/rule.ts'

/** Looking into a zod schema: what it is below optional and default, which fields it has, what of a value it can use. */

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return unwrap(schema.unwrap())
  }
  return schema
}

function child(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType | undefined {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodArray) return inner.element
  if (!(inner instanceof z.ZodObject) || !Object.hasOwn(inner.shape, key)) return undefined
  return inner.shape[String(key)]
}

/** The names of the fields that the schema has at a path; none where it has no fields. */
export function fieldNames(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const found = path.reduce<z.core.$ZodType | undefined>((at, key) => at && child(at, key), schema)
  const inner = found && unwrap(found)
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : []
}

/**
 * What can be read of a value although parts of it are wrong, with defaults where something is missing: rules between
 * fields can then be checked in the same run, and all mistakes of a file be told at once.
 */
export function salvage<Output>(schema: z.ZodType<Output>, value: unknown): Loose<Output> {
  // The walk follows the schema, so what it returns has the schema's shape as far as Loose promises one.
  return salvageUntyped(schema, value) as Loose<Output>
}

function salvageUntyped(schema: z.core.$ZodType, value: unknown): unknown {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodArray && Array.isArray(value))
    return value.map((item) => salvageUntyped(inner.element, item))
  if (inner instanceof z.ZodObject && isMapping(value)) {
    return Object.fromEntries(
      Object.entries(inner.shape).flatMap(([key, field]) => {
        const salvaged = salvageUntyped(field, Object.hasOwn(value, key) ? value[key] : undefined)
        return salvaged === undefined ? [] : [[key, salvaged]]
      }),
    )
  }
  const parsed = z.safeParse(schema, value)
  if (parsed.success) return parsed.data
  // A malformed text is still a text: the rule "this field is needed" must not complain about it as well.
  return typeof value === 'string' && isText(inner) ? value : undefined
}

function isText(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodString || schema instanceof z.ZodEnum
}

export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
