import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici'
import type { ClusterAccess, TlsMaterial } from './access.ts'

/**
 * The connections to one cluster: one Agent, so that calls share warm TLS connections, and another only when the
 * credentials inside TLS changed.
 *
 * - HTTP/2 is off: one stalled connection would stall every watch.
 * - undici's own timers are off: they cannot tell a quiet watch from a dead one. The callers have timers.
 * - The number of connections is bounded, or a burst of 5,000 calls would open as many sockets. A watch holds one for as
 *   long as it lives; programs have a dozen, not a hundred.
 */
const mostConnections = 100
const keepAliveMs = 60_000
const connectTimeoutMs = 10_000
const tcpKeepAliveMs = 30_000

export class Connections {
  readonly #access: ClusterAccess
  #current: { readonly tls: TlsMaterial; readonly dispatcher: Dispatcher } | undefined
  #closed = false

  constructor(access: ClusterAccess) {
    this.#access = access
  }

  dispatcher(tls: TlsMaterial): Dispatcher {
    if (this.#closed) throw new Error(`The client of ${this.#access.server} is closed.`)
    if (this.#current?.tls === tls) return this.#current.dispatcher
    // What runs on the old connections, watches too, may end there; they close when the last of it is done.
    this.#current?.dispatcher.close().catch(() => undefined)
    this.#current = { tls, dispatcher: open(this.#access, tls) }
    return this.#current.dispatcher
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#current?.dispatcher.destroy()
  }
}

function open(access: ClusterAccess, tls: TlsMaterial): Dispatcher {
  const material = {
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
    rejectUnauthorized: tls.verify,
  }
  const options = {
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connections: mostConnections,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
  }
  const connect = { timeout: connectTimeoutMs, keepAlive: true, keepAliveInitialDelay: tcpKeepAliveMs }
  if (access.proxyUrl !== undefined) {
    return new ProxyAgent({ ...options, uri: access.proxyUrl, requestTls: { ...material, ...connect } })
  }
  if (access.dial !== undefined)
    return new Agent({ ...options, connect: dialling(access.dial, { ...material, ...connect }) })
  return new Agent({ ...options, connect: { ...material, ...connect } })
}

function dialling(
  { host, port }: NonNullable<ClusterAccess['dial']>,
  options: buildConnector.BuildOptions & { readonly servername?: string },
): buildConnector.connector {
  const connector = buildConnector(options)
  return (target, callback) => {
    const servername = options.servername ?? target.hostname
    connector({ ...target, servername, hostname: host, port: String(port) }, callback)
  }
}
