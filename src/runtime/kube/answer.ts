import { ApiError } from './error.ts'
import type { Kind } from './kind.ts'
import type { KubeObject } from './object.ts'

/** Total decoders of what an API server, or whatever answers in its place, may send. Each gives a value or an ApiError. */

/** The call an answer belongs to; every error names it. */
export interface Call {
  readonly method: string
  readonly url: string
}

export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function decodeJson(call: Call, status: number, text: string): Fields {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw malformed(call, status, text, 'the answer is not JSON', cause)
  }
  if (!isFields(value)) throw malformed(call, status, text, 'the answer is not a JSON object')
  return value
}

/** The answer is one object of the kind. `apiVersion` and `kind` are filled in where a list left them out. */
export function decodeObject<T extends KubeObject>(call: Call, kind: Kind<T>, value: unknown, text: string): T {
  if (!isObjectOf(kind, value)) throw malformed(call, 200, text, `the answer is not a ${kind.kind}`)
  return value
}

export interface ListPage<T extends KubeObject> {
  readonly items: readonly T[]
  readonly resourceVersion: string
  readonly continueToken: string | undefined
}

export function decodeList<T extends KubeObject>(call: Call, kind: Kind<T>, text: string): ListPage<T> {
  const { items, metadata } = decodeJson(call, 200, text)
  if (!Array.isArray(items) || !isFields(metadata) || typeof metadata.resourceVersion !== 'string') {
    throw malformed(call, 200, text, `the answer is not a list of ${kind.plural}`)
  }
  const stamped: T[] = []
  for (const item of items) {
    const object: unknown = isFields(item) ? { ...item, apiVersion: kind.apiVersion, kind: kind.kind } : item
    if (!isObjectOf(kind, object)) throw malformed(call, 200, text, `an item of the list is not a ${kind.kind}`)
    stamped.push(object)
  }
  const continueToken =
    typeof metadata.continue === 'string' && metadata.continue !== '' ? metadata.continue : undefined
  return { items: stamped, resourceVersion: metadata.resourceVersion, continueToken }
}

/** What a failed call answered: usually a Status object, but a proxy in between may say anything. */
export function decodeFailure(call: Call, status: number, text: string, retryAfterMs?: number): ApiError {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (isFields(value) && value.kind === 'Status') return statusError(call, status, value, retryAfterMs)
  const message =
    status === 404 ? 'there is nothing at this path: is the kind installed?' : 'no explanation by an API server'
  return new ApiError({
    ...call,
    status,
    reason: httpReason(status),
    message,
    excerpt: excerptOf(call, text),
    retryAfterMs,
  })
}

export function statusError(call: Call, httpStatus: number, value: Fields, retryAfterMs?: number): ApiError {
  const details = isFields(value.details) ? value.details : {}
  const status = httpStatus === 200 && typeof value.code === 'number' ? value.code : httpStatus
  const reason = typeof value.reason === 'string' && value.reason !== '' ? value.reason : httpReason(status)
  const message = typeof value.message === 'string' ? value.message : 'no explanation'
  const objectName = typeof details.name === 'string' && details.name !== '' ? details.name : undefined
  return new ApiError({ ...call, status, reason, message, objectName, retryAfterMs })
}

export function malformed(call: Call, status: number, text: string, message: string, cause?: unknown): ApiError {
  return new ApiError({ ...call, status, reason: 'Malformed', message, excerpt: excerptOf(call, text), cause })
}

/** `Retry-After` in seconds; the date form is not used by API servers. */
export function parseRetryAfterMs(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined
}

function isObjectOf<T extends KubeObject>(kind: Kind<T>, value: unknown): value is T {
  if (!isFields(value) || value.kind !== kind.kind || value.apiVersion !== kind.apiVersion) return false
  const { metadata } = value
  return (
    isFields(metadata) &&
    typeof metadata.name === 'string' &&
    typeof metadata.uid === 'string' &&
    typeof metadata.resourceVersion === 'string' &&
    (!kind.namespaced || typeof metadata.namespace === 'string') &&
    isAbsentOr(isFields, metadata.labels) &&
    isAbsentOr(isFields, metadata.annotations) &&
    isAbsentOr(isListOfStrings, metadata.finalizers) &&
    isAbsentOr(isListOfOwners, metadata.ownerReferences)
  )
}

function isAbsentOr(check: (value: unknown) => boolean, value: unknown): boolean {
  return value === undefined || check(value)
}

function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isListOfOwners(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => isFields(item) && typeof item.uid === 'string')
}

/** Short, on one line, and never the contents of a Secret. */
function excerptOf(call: Call, text: string): string {
  if (/\/secrets(\/|\?|$)/.test(call.url)) return '(not shown: Secrets)'
  const line = JSON.stringify(text.slice(0, 200))
  return text.length > 200 ? `${line}...` : line
}

function httpReason(status: number): string {
  return (
    { 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound', 409: 'Conflict', 410: 'Expired', 429: 'TooManyRequests' }[
      status
    ] ?? (status >= 500 ? 'ServerError' : 'Failed')
  )
}
