import type { Cel } from '../cel.ts'
import { findAll, formatPath } from '../fieldpath.ts'

/**
 * Rules between the fields of one object. Each is a small named check, placed where the CRD can carry it as well:
 * `at` is the part of the object it is given, `field` the part of that which a message points to.
 */
export interface Rule<Value> {
  readonly name: string
  readonly field: string
  /** Completes the sentence "<field> is <value>: it …". */
  readonly message: string
  /** The rule holds only there; see Mode. */
  readonly only?: Mode
  /** True when the value is as it should be, and also when the rule has nothing to judge. */
  check(value: Value): boolean
  /** Where `field` is a list: which of its entries are at fault. */
  culprits?(value: Value): readonly string[]
  /** The same check for the API server; `self` is the value that `check` is given. */
  readonly cel: Cel | Elsewhere
  /** Before `message` where the API server can only point to `field` as a whole, and the message speaks of a part of it. */
  readonly subject?: string
}

/** The API server keeps the rule in another way than by an expression. */
export interface Elsewhere {
  readonly keptBy: string
}

/**
 * Where the object is meant for. A file may be served by one process on a host that already has its leg on the VLAN:
 * it needs no NetworkAttachmentDefinition, and its three components can share an address since their ports differ. In
 * a cluster each component is a pod of its own: it needs the attachment, and an address for itself. Rules that differ
 * say so with `only`; everything else holds in both.
 */
export type Mode = 'file' | 'cluster'

/**
 * An object whose mistakes have been reported already: fields may be missing, and texts may be malformed (so a rule
 * parses what it reads, and is content with what does not parse).
 */
export type Loose<Value> = Value extends readonly (infer Item)[]
  ? readonly (Loose<Item> | undefined)[]
  : Value extends object
    ? { readonly [Key in keyof Value]?: Loose<Value[Key]> | undefined }
    : Value

export interface Violation {
  readonly rule: string
  readonly field: string
  readonly message: string
}

export interface RuleGroup<Resource> {
  readonly at: string
  readonly rules: readonly Omit<Rule<never>, 'check'>[]
  violations(object: Loose<Resource>, mode: Mode): Violation[]
}

/** Rules about each value that `select` finds in an object; `at` ends in `[]` where these are the entries of a list. */
export function rulesAt<Resource, Value>(
  at: string,
  select: (object: Loose<Resource>) => readonly (Value | undefined)[],
  rules: readonly Rule<Value>[],
): RuleGroup<Resource> {
  return {
    at,
    rules,
    violations: (object, mode) =>
      select(object).flatMap((value, index) =>
        value === undefined ? [] : broken(rules, value, at.replace(/\[\]$/, `[${index}]`), mode),
      ),
  }
}

/** The same for values that are found by their path alone, such as `spec.rules[].http.paths[].backend`. */
export function rulesAtEach<Resource, Value>(at: string, rules: readonly Rule<Value>[]): RuleGroup<Resource> {
  return {
    at,
    rules,
    violations: (object, mode) =>
      // What is found has the shape that the schema has at that path.
      findAll(object, at).flatMap(({ path, value }) =>
        value === undefined ? [] : broken(rules, value as Value, formatPath(path), mode),
      ),
  }
}

function broken<Value>(rules: readonly Rule<Value>[], value: Value, base: string, mode: Mode): Violation[] {
  return rules
    .filter((rule) => (rule.only === undefined || rule.only === mode) && !rule.check(value))
    .flatMap((rule) => {
      const fields = rule.culprits?.(value) ?? [rule.field]
      return fields.map((field) => ({ rule: rule.name, field: joinPath(base, field), message: rule.message }))
    })
}

function joinPath(base: string, field: string): string {
  if (field === '') return base
  return field.startsWith('[') ? `${base}${field}` : `${base}.${field}`
}
