import { request } from 'node:http'
import type { ClustersDocument } from './target-health.ts'

/** The administration of an Envoy on this host, over its Unix socket. */
export class EnvoyAdmin {
  readonly #socketPath: string

  constructor(socketPath: string) {
    this.#socketPath = socketPath
  }

  /** The answer's text; throws when there is none, or it is no success. */
  ask(method: 'GET' | 'POST', path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const asked = request({ socketPath: this.#socketPath, method, path, timeout: 2000 }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 200)}`))
        })
      })
      asked.on('timeout', () => asked.destroy(new Error(`${method} ${path}: no answer`)))
      asked.on('error', reject)
      asked.end()
    })
  }

  async setLogLevel(level: string): Promise<void> {
    await this.ask('POST', `/logging?level=${level}`)
  }

  /** Takes no new connections; those that are there go on. SIGTERM alone would cut them all. */
  async drain(): Promise<void> {
    await this.ask('POST', '/healthcheck/fail')
    await this.ask('POST', '/drain_listeners')
  }

  /** Connections of clients, those of draining listeners too, and those that have not said yet what they want. */
  async openConnections(): Promise<number> {
    const lines = (await this.ask('GET', '/stats?filter=downstream_(pre_)?cx_active')).split('\n')
    const ofListeners = lines.filter((line) => /^listener\.(?!admin\.|metrics\.)(?!.*\.worker_)/.test(line))
    return ofListeners.reduce((sum, line) => sum + Number(line.split(': ')[1] ?? 0), 0)
  }

  /** What Envoy knows of the targets of each backend. */
  async clusters(): Promise<ClustersDocument> {
    return JSON.parse(await this.ask('GET', '/clusters?format=json'))
  }
}
