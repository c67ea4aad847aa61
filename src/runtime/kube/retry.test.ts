import { describe, expect, test } from 'vitest'
import { ApiError } from './error.ts'
import { retryDelayMs } from './retry.ts'

describe('retries', () => {
  const error = (status: number, retryAfterMs?: number, code?: string): ApiError => {
    const cause = code === undefined ? undefined : Object.assign(new Error(code), { code })
    return new ApiError({ method: 'GET', url: '/', status, reason: 'x', message: 'x', retryAfterMs, cause })
  }
  const delay = (failure: unknown, attempt = 1, idempotent = true) =>
    retryDelayMs(failure, attempt, idempotent, () => 0)

  test('what was not processed is sent again when the server says, whatever it is', () => {
    expect([delay(error(429, 2000), 1, false), delay(error(429), 1, false), delay(error(503, 1000), 1, false)]).toEqual(
      [2000, 1000, 1000],
    )
  })

  test('but not for ever, and not if the server wants a long pause', () => {
    expect([delay(error(429, 2000), 6), delay(error(429, 60_000))]).toEqual([undefined, undefined])
  })

  test('a reset is tried once more, if that can do no harm', () => {
    const reset = error(0, undefined, 'ECONNRESET')
    expect([delay(reset), delay(reset, 2), delay(reset, 1, false)]).toEqual([0, undefined, undefined])
  })

  test('everything else is for the caller', () => {
    const refused = error(0, undefined, 'ECONNREFUSED')
    expect([error(500), error(404), error(409), refused, new Error('bug')].map((it) => delay(it))).toEqual(
      Array(5).fill(undefined),
    )
  })
})
