import type { FieldPath } from '../fieldpath.ts'
import { isMapping } from '../shape.ts'

/** What a manifest is made of. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain | undefined }

/** A copy of a value with one field set, or removed where the new value is undefined. */
export function withChange(value: unknown, [key, ...rest]: FieldPath, replacement: Plain | undefined): unknown {
  if (key === undefined) return replacement
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === key ? withChange(item, rest, replacement) : item))
  }
  const mapping = isMapping(value) ? value : {}
  const { [key]: old, ...others } = mapping
  const changed = withChange(old, rest, replacement)
  return changed === undefined ? others : { ...others, [key]: changed }
}
