import type { Clock } from '../time/clock.ts'
import type { Call } from './answer.ts'
import type { Fence } from './fence.ts'

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly contentType?: string
  /** Sending it twice gives the same as sending it once. */
  readonly idempotent: boolean
  readonly signal?: AbortSignal | undefined
  readonly fence?: Fence | undefined
}

export interface Answer<Body> {
  readonly call: Call
  readonly body: Body
}

export interface TransportOptions {
  readonly clock: Clock
  readonly random: () => number
  readonly userAgent: string
  /** How long a call may take; a stream may take this long to begin. */
  readonly callTimeoutMs?: number
  /** Longer answers are refused: memory is bounded whatever the other side sends. */
  readonly longestAnswerBytes?: number
}

export interface TransportStats {
  /** How often each `METHOD status` was seen; status 0 is no answer. */
  readonly calls: ReadonlyMap<string, number>
  readonly retries: number
  readonly bytesReceived: number
  readonly bytesSent: number
}

export function pathWithQuery({ path, query = {} }: Request): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value)
  return search.size === 0 ? path : `${path}?${search}`
}
