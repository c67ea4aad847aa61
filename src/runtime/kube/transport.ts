import type { Dispatcher } from 'undici'
import { type Clock, sleep } from '../time/clock.ts'
import { type Deadline, startDeadline } from '../time/deadline.ts'
import type { ClusterAccess } from './access.ts'
import { type Call, decodeFailure, malformed, parseRetryAfterMs } from './answer.ts'
import { Connections } from './connections.ts'
import { ApiError } from './error.ts'
import { FenceClosed, fenced } from './fence.ts'
import { type Answer, pathWithQuery, type Request, type TransportOptions, type TransportStats } from './request.ts'
import { retryDelayMs } from './retry.ts'

/**
 * Requests to one cluster's API server. An answer of 2xx is returned as text or as a stream of bytes; everything else,
 * also no answer at all, is an ApiError that names the call. Nothing is parsed here but the Status of a failure.
 */
export class Transport {
  readonly access: ClusterAccess
  readonly #options: Required<TransportOptions>
  readonly #connections: Connections
  readonly #origin: string
  readonly #prefix: string
  readonly #counters = { calls: new Map<string, number>(), retries: 0, bytesReceived: 0, bytesSent: 0 }

  constructor(access: ClusterAccess, options: TransportOptions) {
    const server = new URL(access.server)
    this.access = access
    this.#options = { callTimeoutMs: 30_000, longestAnswerBytes: 64 * 2 ** 20, ...options }
    this.#connections = new Connections(access)
    this.#origin = server.origin
    this.#prefix = server.pathname.replace(/\/+$/, '')
  }

  get clock(): Clock {
    return this.#options.clock
  }

  stats(): TransportStats {
    return this.#counters
  }

  close(): Promise<void> {
    return this.#connections.close()
  }

  /** The whole answer, within the time a call may take. */
  text(request: Request): Promise<Answer<string>> {
    return this.#withRetries(request, async (call, renew) => {
      const deadline = this.#startDeadline(call, request, this.#options.callTimeoutMs)
      try {
        const { body } = await this.#send(call, request, 'calls', deadline, renew)
        return { call, body: await this.#readAll(call, body, 200) }
      } catch (error) {
        throw asApiError(call, error, deadline.signal)
      } finally {
        deadline.cancel()
      }
    })
  }

  /** The answer as it comes in. A stream that stays silent for `idleMs` is cut: the connection may be dead. */
  stream(request: Request, idleMs: number): Promise<Answer<AsyncGenerator<Buffer, void, undefined>>> {
    return this.#withRetries(request, async (call, renew) => {
      const deadline = this.#startDeadline(call, request, Math.min(this.#options.callTimeoutMs, idleMs))
      try {
        const { body } = await this.#send(call, request, 'watches', deadline, renew)
        return { call, body: this.#chunks(call, body, deadline, idleMs) }
      } catch (error) {
        deadline.cancel()
        throw asApiError(call, error, deadline.signal)
      }
    })
  }

  async *#chunks(
    call: Call,
    body: Dispatcher.ResponseData['body'],
    deadline: Deadline,
    idleMs: number,
  ): AsyncGenerator<Buffer, void, undefined> {
    try {
      deadline.restart(idleMs)
      for await (const chunk of body) {
        deadline.restart(idleMs)
        this.#counters.bytesReceived += chunk.length
        yield chunk
      }
    } catch (error) {
      throw asApiError(call, error, deadline.signal)
    } finally {
      deadline.cancel()
      body.destroy()
    }
  }

  async #send(
    call: Call,
    request: Request,
    use: 'calls' | 'watches',
    deadline: Deadline,
    renew: boolean,
  ): Promise<Dispatcher.ResponseData> {
    const { headers, tls } = await this.access.credentials(renew)
    const connections = this.#connections.dispatcher(tls, use)
    const dispatcher = request.fence ? fenced(connections, request.fence) : connections
    const body = request.body === undefined ? null : JSON.stringify(request.body)
    this.#counters.bytesSent += body?.length ?? 0
    const answer = await dispatcher.request({
      origin: this.#origin,
      path: call.url.slice(this.#origin.length),
      method: request.method,
      headers: {
        accept: 'application/json',
        'user-agent': this.#options.userAgent,
        ...(body === null ? {} : { 'content-type': request.contentType ?? 'application/json' }),
        ...headers,
      },
      body,
      signal: deadline.signal,
    })
    this.#count(request.method, answer.statusCode)
    if (answer.statusCode >= 200 && answer.statusCode < 300) return answer
    const text = await this.#readAll(call, answer.body, answer.statusCode)
    throw decodeFailure(call, answer.statusCode, text, parseRetryAfterMs(answer.headers['retry-after']))
  }

  async #readAll(call: Call, body: AsyncIterable<Buffer>, status: number): Promise<string> {
    const chunks: Buffer[] = []
    let bytes = 0
    try {
      for await (const chunk of body) {
        chunks.push(chunk)
        bytes += chunk.length
        this.#counters.bytesReceived += chunk.length
        if (bytes > this.#options.longestAnswerBytes) break
      }
    } catch (error) {
      if (error instanceof ApiError || bytes === 0) throw error
      const text = Buffer.concat(chunks).toString()
      throw malformed(call, status, text, `the connection broke after ${bytes} bytes of the answer`, error)
    }
    const text = Buffer.concat(chunks).toString()
    if (bytes <= this.#options.longestAnswerBytes) return text
    throw malformed(call, status, text, `the answer is longer than ${this.#options.longestAnswerBytes} bytes`)
  }

  async #withRetries<T>(request: Request, once: (call: Call, renew: boolean) => Promise<T>): Promise<T> {
    const call = { method: request.method, url: this.#origin + this.#prefix + pathWithQuery(request) }
    let renew = false
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(call, renew)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        if (error.status === 0) this.#count(request.method, 0)
        const tokenRefused: boolean = error.status === 401 && !renew
        const delayMs = tokenRefused ? 0 : retryDelayMs(error, attempt, request.idempotent, this.#options.random)
        if (delayMs === undefined || request.signal?.aborted) throw error
        renew ||= tokenRefused
        this.#counters.retries++
        await sleep(this.clock, delayMs, request.signal)
      }
    }
  }

  #startDeadline(call: Call, request: Request, delayMs: number): Deadline {
    return startDeadline(this.clock, delayMs, request.signal, () => silence(call, delayMs))
  }

  #count(method: string, status: number): void {
    const key = `${method} ${status}`
    this.#counters.calls.set(key, (this.#counters.calls.get(key) ?? 0) + 1)
  }
}

function silence(call: Call, afterMs: number): ApiError {
  return new ApiError({ ...call, status: 0, reason: 'Timeout', message: `nothing was heard for ${afterMs / 1000} s` })
}

function asApiError(call: Call, error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ApiError || error instanceof FenceClosed) return error
  if (signal.aborted) {
    const { reason } = signal
    if (reason instanceof ApiError) return reason
    const message = `given up: ${reason instanceof Error ? reason.message : String(reason)}`
    return new ApiError({ ...call, status: 0, reason: 'Aborted', message, cause: reason })
  }
  const message = error instanceof Error ? explain(error) : String(error)
  return new ApiError({ ...call, status: 0, reason: 'Unreachable', message, cause: error })
}

/** The code says more than the message when several addresses were tried, and nothing when there is none. */
function explain(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return [error.message, code && !error.message.includes(code) ? `(${code})` : ''].filter(Boolean).join(' ')
}
