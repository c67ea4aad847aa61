import type { Reason } from '../api/reasons.ts'

/**
 * Something that is wrong and that a person can put right. Problems are values: they become lines on a terminal,
 * conditions and events; they are never thrown and never retried in a loop.
 */
export interface Problem {
  readonly reason: Reason
  /** A whole sentence that names the object, the value and what is expected instead. */
  readonly message: string
  /** Where inside the object, e.g. `spec.networkConfig.gateway`. */
  readonly field?: string
  /** Where in which file, when the object came from one. */
  readonly at?: { readonly file: string; readonly line: number }
}

export type Result<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export function ok(): Result<void>
export function ok<Value>(value: Value): Result<Value>
export function ok<Value>(value?: Value): Result<Value | undefined> {
  return { ok: true, value }
}

export function failed(...problems: readonly Problem[]): { readonly ok: false; readonly problems: readonly Problem[] } {
  return { ok: false, problems }
}
