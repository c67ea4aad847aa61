import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ClusterAccess } from '../../src/runtime/kube/access.ts'
import type { ConfigMap } from '../../src/runtime/kube/kinds.ts'

/** How the next request that matches is treated instead of being answered. */
export type Fault =
  /** The connection is reset before anything is said. */
  | { readonly type: 'reset' }
  /** Nothing is ever said. */
  | { readonly type: 'hang' }
  /** The answer comes late. */
  | { readonly type: 'slow'; readonly delayMs: number }
  /** This is said instead. */
  | {
      readonly type: 'answer'
      readonly status: number
      readonly body?: string
      readonly headers?: Record<string, string>
    }
  /** The beginning of this body is sent, then the connection is reset. */
  | { readonly type: 'break'; readonly body: string }
  /** The request is carried out, but its answer is lost. */
  | { readonly type: 'lose-answer' }

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: string
}

type Verb = 'list' | 'watch' | 'get' | 'write'

/**
 * An API server that misbehaves on demand. It keeps ConfigMaps of the namespace `default` in memory and speaks list,
 * watch, get, and naive writes; enough to be followed by an informer, and to lie to it.
 */
export class ScriptedServer implements AsyncDisposable {
  readonly requests: SeenRequest[] = []
  connections = 0
  readonly #server: Server
  readonly #objects = new Map<string, ConfigMap>()
  readonly #watches = new Set<ServerResponse>()
  readonly #faults: { verb: Verb; fault: Fault }[] = []
  #history: { revision: number; line: string }[] = []
  #revision = 100
  #compacted = 0
  /** A watch from a forgotten revision is refused with HTTP 410, or accepted and ended with an ERROR event. */
  goneAs: 'status' | 'event' = 'event'

  constructor() {
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => response.destroy(new Error(String(error))))
    })
    this.#server.on('connection', () => this.connections++)
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  get access(): ClusterAccess {
    const address = this.#server.address() as AddressInfo
    const credentials = { headers: {}, tls: { verify: true } }
    return {
      server: `http://127.0.0.1:${address.port}`,
      namespace: 'default',
      origin: 'a script',
      credentials: () => Promise.resolve(credentials),
    }
  }

  /** What is there, as `name=value of data.v`. */
  get contents(): string[] {
    return [...this.#objects.values()].map(({ metadata, data }) => `${metadata.name}=${data?.v ?? ''}`)
  }

  get openWatches(): number {
    return this.#watches.size
  }

  /** The next request of this sort meets this fault. Several are met one after the other. */
  fail(verb: Verb, ...faults: Fault[]): void {
    for (const fault of faults) this.#faults.push({ verb, fault })
  }

  put(name: string, data: Record<string, string> = {}, uid?: string): ConfigMap {
    const known = this.#objects.get(name)
    const metadata = { name, namespace: 'default', uid: uid ?? known?.metadata.uid ?? `uid-${name}-${this.#revision}` }
    const object = this.#stamp({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data })
    this.#objects.set(name, object)
    this.#tell(known ? 'MODIFIED' : 'ADDED', object)
    return object
  }

  remove(name: string, tell = true): void {
    const object = this.#objects.get(name)
    if (!object) return
    this.#objects.delete(name)
    const last = this.#stamp(object)
    if (tell) this.#tell('DELETED', last)
  }

  /** Says anything on all watches. */
  say(line: string): void {
    for (const watch of this.#watches) watch.write(line)
  }

  sayEvent(type: string, object: unknown): void {
    this.say(`${JSON.stringify({ type, object })}\n`)
  }

  bookmark(): void {
    const metadata = { resourceVersion: String(this.#revision) }
    this.sayEvent('BOOKMARK', { apiVersion: 'v1', kind: 'ConfigMap', metadata })
  }

  /** Ends all watches: politely, or by a reset. */
  endWatches(how: 'end' | 'reset'): void {
    for (const watch of this.#watches) {
      if (how === 'end') watch.end()
      else watch.socket?.resetAndDestroy()
    }
    this.#watches.clear()
  }

  /** Everything said on the watches open by now vanishes, and their connections stay open: a dead middlebox. */
  blackHoleWatches(): void {
    this.#watches.clear()
  }

  /** Forgets the history, as etcd does. */
  compact(): void {
    this.#compacted = this.#revision
    this.#history = []
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://server')
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const seen = { method: request.method ?? '', path: url.pathname, query: url.searchParams, body }
    this.requests.push(seen)
    const name = /\/configmaps\/([^/]+)$/.exec(url.pathname)?.[1]
    const isWatch = url.searchParams.get('watch') === '1'
    const verb = request.method !== 'GET' ? 'write' : isWatch ? 'watch' : name === undefined ? 'list' : 'get'
    if (await this.#meetFault(verb, request, response)) return
    if (verb === 'watch') this.#watch(url.searchParams.get('resourceVersion') ?? '', response)
    else if (verb === 'list') this.#list(url.searchParams, response)
    else if (verb === 'get') this.#answerObject(response, this.#objects.get(name ?? ''), name ?? '')
    else this.#write(seen, name, response)
  }

  async #meetFault(verb: Verb, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const index = this.#faults.findIndex((candidate) => candidate.verb === verb)
    const [met] = index < 0 ? [] : this.#faults.splice(index, 1)
    switch (met?.fault.type) {
      case 'reset':
        request.socket.resetAndDestroy()
        return true
      case 'hang':
        return true
      case 'slow':
        await new Promise((resolve) => setTimeout(resolve, met.fault.type === 'slow' ? met.fault.delayMs : 0))
        return false
      case 'answer':
        response.writeHead(met.fault.status, { 'content-type': 'application/json', ...met.fault.headers })
        response.end(met.fault.body ?? '')
        return true
      case 'break':
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write(met.fault.body)
        setTimeout(() => request.socket.resetAndDestroy(), 20)
        return true
      case 'lose-answer':
        response.writeHead = () => response
        response.end = () => {
          request.socket.resetAndDestroy()
          return response
        }
        return false
      default:
        return false
    }
  }

  #list(query: URLSearchParams, response: ServerResponse): void {
    const all = [...this.#objects.values()].map(({ apiVersion: _, kind: __, ...item }) => item)
    const start = Number(query.get('continue') ?? 0)
    const end = start + Number(query.get('limit') ?? all.length)
    const next = end < all.length ? { continue: String(end) } : {}
    const metadata = { resourceVersion: String(this.#revision), ...next }
    json(response, 200, { apiVersion: 'v1', kind: 'ConfigMapList', metadata, items: all.slice(start, end) })
  }

  #watch(from: string, response: ServerResponse): void {
    const revision = Number(from)
    const isGone = revision < this.#compacted
    const expired = {
      kind: 'Status',
      status: 'Failure',
      reason: 'Expired',
      code: 410,
      message: 'too old resource version',
    }
    if (isGone && this.goneAs === 'status') {
      json(response, 410, expired)
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    if (isGone) {
      response.end(`${JSON.stringify({ type: 'ERROR', object: expired })}\n`)
      return
    }
    for (const event of this.#history) if (event.revision > revision) response.write(event.line)
    this.#watches.add(response)
    response.on('close', () => this.#watches.delete(response))
  }

  /** POST, PUT and PATCH set what they are given; the API server's real rules are tested with the real one. */
  #write(seen: SeenRequest, name: string | undefined, response: ServerResponse): void {
    if (seen.method === 'DELETE') {
      this.remove(name ?? '')
      json(response, 200, { kind: 'Status', status: 'Success' })
      return
    }
    const object = JSON.parse(seen.body)
    const isNew = !this.#objects.has(object.metadata.name)
    json(response, isNew ? 201 : 200, this.put(object.metadata.name, object.data))
  }

  #answerObject(response: ServerResponse, object: ConfigMap | undefined, name: string): void {
    const status = { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404, message: 'not found' }
    if (object) json(response, 200, object)
    else json(response, 404, { ...status, details: { name, kind: 'configmaps' } })
  }

  #stamp(object: ConfigMap): ConfigMap {
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#revision) } }
  }

  #tell(type: string, object: ConfigMap): void {
    const line = `${JSON.stringify({ type, object })}\n`
    this.#history.push({ revision: this.#revision, line })
    this.say(line)
  }
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
