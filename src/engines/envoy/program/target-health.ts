/** What Envoy says of the targets of its clusters: the part of `/clusters?format=json` that is read here. */
export interface ClustersDocument {
  readonly cluster_statuses?: readonly { readonly name?: string; readonly host_statuses?: readonly HostStatus[] }[]
}

interface HostStatus {
  readonly address?: { readonly socket_address?: { readonly address?: string; readonly port_value?: number } }
  readonly stats?: readonly { readonly name?: string; readonly value?: string }[]
  readonly health_status?: {
    readonly failed_outlier_check?: boolean
    readonly failed_active_health_check?: boolean
  }
}

export interface TargetHealth {
  /** Targets whose last connection succeeded. Of those nobody needed yet nothing is known. */
  readonly healthy: number
  readonly untried: number
  readonly lastError?: string
}

interface Known {
  readonly connected: number
  readonly failed: number
  readonly verdict: 'untried' | 'well' | 'failing'
}

/**
 * How the targets are, from what Envoy counts. It sets a target aside for some seconds only, and then counts it as good
 * again without having asked: so what the last connection told is remembered here until the next one.
 */
export class TargetHealthBook {
  #known: ReadonlyMap<string, Known> = new Map()

  /** By cluster. */
  learn(document: ClustersDocument): ReadonlyMap<string, TargetHealth> {
    const next = new Map<string, Known>()
    const byCluster = new Map<string, TargetHealth>()
    for (const { name = '', host_statuses: hosts = [] } of document.cluster_statuses ?? []) {
      const places = hosts.map((host) => {
        const place = placeOf(host)
        const known = judge(host, this.#known.get(`${name} ${place}`))
        next.set(`${name} ${place}`, known)
        return { place, verdict: known.verdict }
      })
      const failing = places.find(({ verdict }) => verdict === 'failing')
      byCluster.set(name, {
        healthy: places.filter(({ verdict }) => verdict === 'well').length,
        untried: places.filter(({ verdict }) => verdict === 'untried').length,
        ...(failing ? { lastError: `${failing.place} could not be reached by Envoy` } : {}),
      })
    }
    this.#known = next
    return byCluster
  }
}

function judge(host: HostStatus, before: Known | undefined): Known {
  const failed = counter(host, 'cx_connect_fail')
  const connected = counter(host, 'cx_total') - failed
  const { failed_outlier_check: isSetAside, failed_active_health_check: isUnhealthy } = host.health_status ?? {}
  // Envoy counts anew after a restart; whatever went down is no news.
  const hasConnected = connected > (before?.connected ?? 0)
  const hasFailed = failed > (before?.failed ?? 0)
  if (isSetAside || isUnhealthy) return { connected, failed, verdict: 'failing' }
  if (hasConnected) return { connected, failed, verdict: 'well' }
  return { connected, failed, verdict: hasFailed ? 'failing' : (before?.verdict ?? 'untried') }
}

function counter({ stats = [] }: HostStatus, wanted: string): number {
  return Number(stats.find(({ name }) => name === wanted)?.value ?? 0)
}

function placeOf({ address }: HostStatus): string {
  return `${address?.socket_address?.address}:${address?.socket_address?.port_value}`
}
