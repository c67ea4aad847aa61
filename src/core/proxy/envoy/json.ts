/** Envoy's configuration in the JSON form of its protobuf messages, field names as its documentation writes them. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [field: string]: Json
}

/** A message of the named type where any may stand. */
export function typed(type: string, fields: JsonObject = {}): JsonObject {
  return { '@type': `type.googleapis.com/${type}`, ...fields }
}

export function seconds(milliseconds: number): string {
  return `${milliseconds / 1000}s`
}

/** The order of everything that has none of its own, so that the same routes always give the same bytes. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
