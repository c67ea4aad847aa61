import { ApiError } from './error.ts'

/** Which calls the client itself repeats; everything else is the business of whoever called (a queue with back-off). */
export interface RetryPolicy {
  readonly mostAttempts: number
  readonly longestWaitMs: number
}

export const defaultRetryPolicy: RetryPolicy = { mostAttempts: 6, longestWaitMs: 10_000 }

/** How long to wait before the next attempt, or undefined to give the error to the caller. */
export function retryDelayMs(
  error: unknown,
  attempt: number,
  idempotent: boolean,
  random: () => number,
  policy: RetryPolicy = defaultRetryPolicy,
): number | undefined {
  if (!(error instanceof ApiError) || attempt >= policy.mostAttempts) return undefined
  if (wasNotProcessed(error)) {
    const askedMs = error.retryAfterMs ?? 1000
    return askedMs > policy.longestWaitMs ? undefined : askedMs + random() * Math.min(askedMs, 1000)
  }
  // A kept-alive connection that the other side had already closed looks like a reset; once more on a new one.
  if (idempotent && attempt === 1 && isReset(error)) return 0
  return undefined
}

/** Priority and fairness, and a server that is starting, say with Retry-After that they did nothing yet. */
function wasNotProcessed(error: ApiError): boolean {
  return error.status === 429 || (error.status >= 500 && error.retryAfterMs !== undefined)
}

function isReset(error: ApiError): boolean {
  if (error.status !== 0 || !(error.cause instanceof Error) || !('code' in error.cause)) return false
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(String(error.cause.code))
}
