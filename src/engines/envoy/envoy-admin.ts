import { request } from 'node:http'

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

  /** Takes no new connections; those that are there go on. SIGTERM alone would cut them all. */
  async drain(): Promise<void> {
    await this.ask('POST', '/healthcheck/fail')
    await this.ask('POST', '/drain_listeners')
  }

  /** Connections of clients, those of draining listeners too. */
  async openConnections(): Promise<number> {
    const lines = (await this.ask('GET', '/stats?filter=downstream_cx_active')).split('\n')
    const ofListeners = lines.filter((line) => /^listener\.(?!admin\.|metrics\.)(?!.*\.worker_)/.test(line))
    return ofListeners.reduce((sum, line) => sum + Number(line.split(': ')[1] ?? 0), 0)
  }

  /** What Envoy knows of the targets of each backend. */
  async targetHealth(): Promise<ReadonlyMap<string, TargetHealth>> {
    const document: ClustersDocument = JSON.parse(await this.ask('GET', '/clusters?format=json'))
    const clusters = document.cluster_statuses ?? []
    return new Map(clusters.map(({ name = '', host_statuses: hosts = [] }) => [name, healthOf(hosts)]))
  }
}

export interface TargetHealth {
  /** Targets that took a connection and are not set aside at present. Of those nobody needed yet nothing is known. */
  readonly healthy: number
  readonly lastError?: string
}

interface HostStatus {
  readonly address?: { readonly socket_address?: { readonly address?: string; readonly port_value?: number } }
  readonly stats?: readonly { readonly name?: string; readonly value?: string }[]
  readonly health_status?: {
    readonly failed_outlier_check?: boolean
    readonly failed_active_health_check?: boolean
  }
}

interface ClustersDocument {
  readonly cluster_statuses?: readonly { readonly name?: string; readonly host_statuses?: readonly HostStatus[] }[]
}

function healthOf(hosts: readonly HostStatus[]): TargetHealth {
  const bad = hosts.find((host) => !isWell(host))?.address?.socket_address
  return {
    healthy: hosts.filter((host) => isWell(host) && hasConnected(host)).length,
    ...(bad ? { lastError: `${bad.address}:${bad.port_value} could not be reached and is set aside by Envoy` } : {}),
  }
}

function isWell({ health_status: status }: HostStatus): boolean {
  return !status?.failed_outlier_check && !status?.failed_active_health_check
}

function hasConnected({ stats = [] }: HostStatus): boolean {
  const value = (wanted: string) => Number(stats.find(({ name }) => name === wanted)?.value ?? 0)
  return value('cx_total') > value('cx_connect_fail')
}
