import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { ListenOptions } from 'node:net'
import type { Metrics } from './metrics.ts'
import type { ServingCertificate } from './self-signed.ts'

/** Why something is not ready; empty means it is. */
export type ReadinessCheck = () => readonly string[]

interface ObserveOptions {
  readonly metrics: Metrics
  readonly ready: ReadinessCheck
  /** Further JSON documents, by path: `{'/status': () => ...}`. */
  readonly documents?: Readonly<Record<string, () => unknown>>
  /** What a POST does, by path; its outcome is the answer. For a socket that only the owner of the process reaches. */
  readonly orders?: Readonly<Record<string, Order>>
  /** With it: TLS, and nothing is shown to whom the judge does not allow it. */
  readonly secure?: ServingCertificate & {
    readonly judge: (token: string) => Promise<'allowed' | 'unknown' | 'forbidden'>
  }
  /** Asked at `/stopped`, which is answered when what it gives is over. */
  readonly stopped?: (() => Promise<void>) | undefined
}

/** `answered`: the answer is out, or there is nobody any more to have it. */
type Order = (answered: Promise<void>) => Promise<unknown>

/**
 * The window into a process: `/healthz` (the event loop turns), `/readyz` (what it is for is being done, or why not),
 * `/metrics`, and the JSON documents given. Every other path or method is refused, but for the orders given.
 */
export function createObserveServer(options: ObserveOptions): Server {
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    answer(options, request, response).catch((error: unknown) => {
      response.statusCode = 500
      response.end(`${String(error)}\n`)
    })
  }
  const { secure } = options
  const server = secure
    ? createSecureServer({ key: secure.key, cert: secure.cert }, onRequest)
    : createServer(onRequest)
  server.requestTimeout = 10_000
  server.maxConnections = 64
  return server
}

async function answer(options: ObserveOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url?.split('?')[0] ?? '/'
  const document = options.documents?.[path]
  const order = request.method === 'POST' ? options.orders?.[path] : undefined
  if (order) {
    const answered = new Promise<void>((resolve) => response.once('close', resolve))
    return send(response, 200, 'application/json', `${JSON.stringify(await order(answered))}\n`)
  }
  if (request.method !== 'GET') return send(response, 405, 'text/plain', 'only GET\n')
  const refusal = await refusalOf(options, request)
  if (refusal) return send(response, refusal.status, 'text/plain', refusal.text)
  if (path === '/healthz') return send(response, 200, 'text/plain', 'ok\n')
  if (path === '/metrics') {
    const { contentType, body } = await options.metrics.expose()
    return send(response, 200, contentType, body)
  }
  if (path === '/readyz') {
    const missing = options.ready()
    const body = missing.length === 0 ? 'ok\n' : missing.map((line) => `${line}\n`).join('')
    return send(response, missing.length === 0 ? 200 : 503, 'text/plain', body)
  }
  if (path === '/stopped' && options.stopped) {
    await options.stopped()
    return send(response, 200, 'text/plain', 'ok\n')
  }
  if (document) return send(response, 200, 'application/json', `${JSON.stringify(document())}\n`)
  return send(response, 404, 'text/plain', 'not found\n')
}

async function refusalOf({ secure }: ObserveOptions, { headers }: IncomingMessage) {
  if (!secure) return undefined
  const token = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const verdict = token === undefined ? 'unknown' : await secure.judge(token)
  if (verdict === 'allowed') return undefined
  return verdict === 'unknown'
    ? { status: 401, text: 'who are you? send the bearer token of a ServiceAccount\n' }
    : { status: 403, text: 'this user may not get the path /metrics: bind a ClusterRole with that nonResourceURL\n' }
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' })
  response.end(body)
}

/** Listening, or the error that prevented it. */
export function listen(server: Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.closeAllConnections()
    server.close(() => resolve())
  })
}
