import type { z } from 'zod'
import type { Problem } from '../core/result.ts'
import { expectation } from './expectation.ts'
import { type FieldPath, formatPath, parsePath, valueAt } from './fieldpath.ts'
import type { KindDefinition } from './kinds.ts'
import type { Reason } from './reasons.ts'
import type { Loose, Mode } from './rules/rule.ts'
import { fieldNames, salvage } from './shape.ts'
import { suggest } from './suggestion.ts'

/** Something wrong with one field of an object. */
export interface Mistake {
  readonly reason: Reason
  readonly path: FieldPath
  readonly message: string
}

/** An object with more mistakes than this has one: it is something else. */
const maxMistakes = 100

export type Checked<Resource> =
  | { readonly ok: true; readonly object: Resource }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] }

/** The object with its defaults, or everything that is wrong with it: schema and rules together. */
export function checkResource<Resource>(kind: KindDefinition<Resource>, value: unknown, mode: Mode): Checked<Resource> {
  const parsed = kind.schema.safeParse(value, { error: expectation })
  const wrong = parsed.success ? [] : firstPerField(parsed.error.issues.flatMap((issue) => explain(issue, kind, value)))
  // A field that is known to be wrong is not judged a second time by the rules.
  const judged = new Set(wrong.flatMap(({ path, meant }) => [path, ...(meant ? [meant] : [])]).map(formatPath))
  const readable = parsed.success ? loosely(parsed.data) : salvage(kind.schema, value)
  const broken = kind.rules
    .flatMap((group) => group.violations(readable, mode))
    .filter(({ field }) => !judged.has(field))
    .map(({ field, message }): Mistake => {
      const path = parsePath(field)
      return { reason: 'InvalidField', path, message: sentence(valueAt(value, path), message) }
    })
  const mistakes = [...wrong, ...broken].slice(0, maxMistakes)
  return parsed.success && mistakes.length === 0 ? { ok: true, object: parsed.data } : { ok: false, mistakes }
}

/** Breaches of the rules between fields in an object that has its right shape. */
export function ruleProblems<Resource>(kind: KindDefinition<Resource>, object: Resource, mode: Mode): Problem[] {
  return kind.rules
    .flatMap((group) => group.violations(loosely(object), mode))
    .map(({ field, message }) => ({
      reason: 'InvalidField',
      field,
      message: sentence(valueAt(object, parsePath(field)), message),
    }))
}

/** What is whole has the shape of what may have gaps; of a type that is only a parameter the compiler cannot see it. */
function loosely<Resource>(object: Resource): Loose<Resource> {
  return object as Loose<Resource>
}

interface SchemaMistake extends Mistake {
  /** The field that was meant by a misspelt one. */
  readonly meant?: FieldPath
}

function explain(issue: z.core.$ZodIssue, kind: KindDefinition<unknown>, value: unknown): SchemaMistake[] {
  const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)))
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, maxMistakes).map((key) => unknownField(key, path, fieldNames(kind.schema, path)))
  }
  if (issue.code === 'invalid_key') return [{ reason: 'InvalidField', path, message: 'this name is too long' }]
  const found = valueAt(value, path)
  const message =
    found === undefined ? `missing, expected ${issue.message}` : `found ${quote(found)}, expected ${issue.message}`
  return [{ reason: 'InvalidField', path, message }]
}

function unknownField(key: string, path: FieldPath, known: readonly string[]): SchemaMistake {
  const meant = suggest(key, known)
  const advice = meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`
  return {
    reason: 'UnknownField',
    path: [...path, key],
    message: `no such field: ${advice}`,
    ...(meant === undefined ? {} : { meant: [...path, meant] }),
  }
}

function firstPerField<Kind extends Mistake>(mistakes: readonly Kind[]): Kind[] {
  const byField = new Map<string, Kind>()
  for (const mistake of mistakes) {
    const field = formatPath(mistake.path)
    if (!byField.has(field)) byField.set(field, mistake)
  }
  return [...byField.values()]
}

function sentence(value: unknown, message: string): string {
  return value === undefined ? message : `${quote(value)} ${message}`
}

/** A value as a person would point at it: short, and only plain ones in full. */
function quote(value: unknown): string {
  if (Array.isArray(value)) return 'the list'
  if (typeof value === 'object' && value !== null) return 'the fields'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
