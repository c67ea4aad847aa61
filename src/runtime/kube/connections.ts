import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici'
import type { ClusterAccess, TlsMaterial } from './access.ts'

/**
 * The connections to one cluster: warm TLS connections that calls share, and one for each watch; others only when the
 * credentials inside TLS changed.
 *
 * - HTTP/2 is off: one stalled connection would stall every watch.
 * - undici's own timers are off: they cannot tell a quiet watch from a dead one. The callers have timers.
 * - The number of connections for calls is bounded, or a burst of 5,000 would open as many sockets, and more at a time
 *   only wait inside the API server. A watch holds one for as long as it lives, so these are counted apart: however many
 *   there are, calls get through.
 */
const mostForCalls = 24
const keepAliveMs = 60_000
const connectTimeoutMs = 10_000
const tcpKeepAliveMs = 30_000

export class Connections {
  readonly #access: ClusterAccess
  #current: { readonly tls: TlsMaterial; readonly calls: Dispatcher; readonly watches: Dispatcher } | undefined
  #closed = false

  constructor(access: ClusterAccess) {
    this.#access = access
  }

  dispatcher(tls: TlsMaterial, use: 'calls' | 'watches'): Dispatcher {
    if (this.#closed) throw new Error(`The client of ${this.#access.server} is closed.`)
    if (this.#current?.tls === tls) return this.#current[use]
    // What runs on the old connections, watches too, may end there; they close when the last of it is done.
    this.#current?.calls.close().catch(() => undefined)
    this.#current?.watches.close().catch(() => undefined)
    this.#current = { tls, calls: open(this.#access, tls, mostForCalls), watches: open(this.#access, tls, null) }
    return this.#current[use]
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#current?.calls.destroy(), this.#current?.watches.destroy()])
  }
}

function open(access: ClusterAccess, tls: TlsMaterial, connections: number | null): Dispatcher {
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
    connections,
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
