import type { Problem } from '../../core/result.ts'
import type { Sighting } from '../../core/trace/sightings.ts'
import type { EngineStatus } from '../engine.ts'
import type { DnsConfig } from './config.ts'
import type { AnswerCache } from './forward/cache.ts'
import type { Forwarder } from './forward/forwarder.ts'
import type { AskedNames } from './server/asked-names.ts'
import type { QueryCounters } from './server/counters.ts'
import type { Listener } from './server/listener.ts'
import type { Horizon } from './zone/horizon.ts'

/** What the engine knows of itself. */
export interface DnsEngineStatus extends EngineStatus {
  /** Absent until something is served. */
  readonly servingGeneration?: number
  readonly listeners: readonly { readonly address: string; readonly port: number; readonly view: string }[]
  /** Names per view, machines apart. */
  readonly names: { readonly vlan: number; readonly pod: number; readonly machines: number }
  /** False while `internalProxyIP` is a name without a known address: the pod view fails for the proxy's names. */
  readonly internalProxyKnown: boolean
  readonly upstreams: readonly { readonly address: string; readonly healthy: boolean; readonly lastError?: string }[]
  readonly cache: { readonly entries: number; readonly bytes: number }
  readonly queries: number
  /** How far the machines of the VLAN came; absent where the engine does not know. */
  readonly clients?: readonly Sighting[]
}

interface Observed {
  readonly config: DnsConfig | undefined
  readonly listeners: readonly Listener[]
  readonly horizon: Horizon
  readonly forwarder: Forwarder
  readonly cache: AnswerCache
  readonly counters: QueryCounters
  readonly targetIsKnown: boolean
  readonly askedNames: AskedNames
}

export function statusOf(observed: Observed): DnsEngineStatus {
  const { config, listeners, horizon, cache, counters } = observed
  return {
    ...(config !== undefined && listeners.length > 0 ? { servingGeneration: config.generation } : {}),
    listeners: listeners.map(({ address, port, chooser }) => ({ address, port, view: chooser.arrival })),
    names: {
      vlan: horizon.views?.vlan.size ?? 0,
      pod: horizon.views?.pod.size ?? 0,
      machines: horizon.machineCount,
    },
    internalProxyKnown: config?.internalProxy.type !== 'name' || observed.targetIsKnown,
    upstreams: observed.forwarder.upstreams.map(({ label, isHealthy, lastError }) => ({
      address: label,
      healthy: isHealthy,
      ...(lastError === undefined ? {} : { lastError }),
    })),
    cache: { entries: cache.size, bytes: cache.byteCount },
    queries: counters.replyCount,
    clients: observed.askedNames.list(),
    problems: problemsOf(observed),
  }
}

function problemsOf({ config, forwarder, targetIsKnown }: Observed): Problem[] {
  const problems: Problem[] = []
  if (config?.internalProxy.type === 'name' && !targetIsKnown) {
    problems.push({
      reason: 'InternalProxyUnresolved',
      field: 'spec.networkConfig.internalProxyIP',
      message: `${config.internalProxy.name} has no address yet, so pods get no answer for the names of the control plane`,
    })
  }
  if (config?.forwards && forwarder.upstreams.every(({ isHealthy }) => !isHealthy)) {
    const tried = forwarder.upstreams.map(({ label, lastError }) => `${label} (${lastError ?? 'no answer'})`).join(', ')
    problems.push({
      reason: 'UpstreamsUnreachable',
      field: 'spec.upstreamDNS',
      message: `${tried === '' ? 'there is no upstream DNS server' : `no upstream DNS server answers: ${tried}`}; names of the cluster are answered all the same`,
    })
  }
  return problems
}
