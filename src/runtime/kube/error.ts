export interface ApiErrorDetails {
  readonly method: string
  readonly url: string
  /** HTTP status; 0 when there was no answer. An error inside a watch carries the status of its event. */
  readonly status: number
  /**
   * The API server's word (`NotFound`, `Conflict`, ...), or one of ours:
   * - `Unreachable`: no answer; refused, reset, name not found, certificate not trusted.
   * - `Timeout`: no answer in time, or a watch that fell silent.
   * - `Aborted`: the caller gave up.
   * - `Malformed`: an answer that breaks the API server's contract; truncated, HTML, wrong types.
   */
  readonly reason: string
  readonly message: string
  /** The beginning of a body that could not be understood. */
  readonly excerpt?: string | undefined
  /** What a `Retry-After` header asked for. */
  readonly retryAfterMs?: number | undefined
  /** `details.name` of the answer: the object the API server speaks of. */
  readonly objectName?: string | undefined
  readonly cause?: unknown
}

/** A call to the API server that did not give what was asked for. The message names the call and what came back. */
export class ApiError extends Error {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly reason: string
  readonly excerpt: string | undefined
  readonly retryAfterMs: number | undefined
  readonly objectName: string | undefined
  /** The API server's own words, without the call. */
  readonly said: string

  constructor(details: ApiErrorDetails) {
    const answered = details.status === 0 ? '' : ` answered ${details.status} ${details.reason}`
    const excerpt = details.excerpt ? `; the body begins: ${details.excerpt}` : ''
    super(`${details.method} ${details.url}${answered}: ${details.message}${excerpt}`, { cause: details.cause })
    this.name = 'ApiError'
    this.method = details.method
    this.url = details.url
    this.status = details.status
    this.reason = details.reason
    this.excerpt = details.excerpt
    this.retryAfterMs = details.retryAfterMs
    this.objectName = details.objectName
    this.said = details.message
  }
}

/** The object is not there, but its kind is: the API server names the object it did not find. */
export function isObjectMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404 && error.objectName !== undefined
}

/** The API server does not know the kind: its CRD is not installed. */
export function isKindMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404 && error.objectName === undefined
}

export function isAlreadyExists(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'AlreadyExists'
}

/** Somebody else wrote in between, or the object is not the one (uid) that was meant. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && error.reason !== 'AlreadyExists'
}

/** The resourceVersion is too old for a watch or a page; only a new list helps. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 410
}

/**
 * Would the same call fail again whatever happens elsewhere? A field the kind does not have is among these, although
 * the API server calls that its own error (500) when the call was an apply. A value that is refused (422) is not: what
 * a rule thinks of it may depend on other objects.
 */
export function isHopeless(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  if (error.status === 500) return error.message.includes('field not declared in schema')
  return [400, 405, 413, 415].includes(error.status)
}
