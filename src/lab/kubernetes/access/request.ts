import { request as httpsRequest } from 'node:https'
import type { KeyAndCertificate } from './certificates.ts'

export interface Answer<Body> {
  readonly status: number
  readonly body: Body
}

export interface RequestOptions {
  readonly method?: string
  readonly body?: unknown
  readonly contentType?: string
  readonly timeoutMs?: number
}

/**
 * One JSON request on one connection. Deliberately as plain as can be, and not the client of `src/runtime`: it is the
 * witness by which tests of that client see what the API server really holds.
 */
export function requestJson<Body = unknown>(
  url: URL,
  authority: string,
  user: KeyAndCertificate,
  options: RequestOptions = {},
): Promise<Answer<Body>> {
  const { method = 'GET', body, contentType = 'application/json', timeoutMs = 30_000 } = options
  return new Promise((resolve, reject) => {
    const request = httpsRequest(url, {
      method,
      ca: authority,
      key: user.key,
      cert: user.certificate,
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': contentType }) },
    })
    request.on('error', (error) => reject(new Error(`${method} ${url}: ${error.message}`, { cause: error })))
    request.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parsed(text) }))
    })
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** `/readyz` and its like answer plain text. */
function parsed(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
