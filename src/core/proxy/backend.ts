import type { ProxyBackend, ProxyServer } from '../../api/proxyserver.ts'
import { type Cidr, parseCidr } from '../net/cidr.ts'
import { parseDuration } from '../net/duration.ts'
import { parseIpv4 } from '../net/ipv4.ts'
import { parseIpv6 } from '../net/ipv6.ts'

/** One place that connections of a backend can go to. Targets of the lower tier are for when all of the upper one fail. */
export interface Target {
  /** An address, or a DNS name that is resolved when a connection is made. */
  readonly host: string
  readonly port: number
  readonly tier: 0 | 1
}

/** A backend as a data plane needs it: its names canonical, its target turned into places to connect to. */
export interface Backend {
  readonly name: string
  readonly port: number
  readonly targets: readonly Target[]
  /** Served on the pod network too. */
  readonly podNetwork: boolean
  /** What its names are found in: the hello of TLS, or the Host of plain HTTP. What is raw has none. */
  readonly protocol: 'tls' | 'http' | 'raw'
  /** Only connections from here are routed to it, others may have another backend; undefined is everybody. */
  readonly sources: readonly Cidr[] | undefined
  /** Who may connect; undefined is everybody. */
  readonly allowedSources: readonly Cidr[] | undefined
  /** For reaching a target, all attempts together. */
  readonly connectTimeoutMs: number
  readonly connectAttempts: number | undefined
  readonly maxConnections: number | undefined
  /** Tell the target who the client is by a PROXY header. */
  readonly proxyProtocol: boolean
  readonly healthCheck: HealthCheck | undefined
}

const protocols = { TCP: 'tls', TLS: 'tls', HTTP: 'http', Raw: 'raw' } as const

export interface HealthCheck {
  readonly intervalMs: number
  readonly timeoutMs: number
}

type ResolvedBackend = NonNullable<NonNullable<NonNullable<ProxyServer['status']>['resolved']>['backends']>[number]

export function backendOf(spec: ProxyBackend, resolved: ResolvedBackend | undefined): Backend {
  return {
    name: spec.name,
    port: spec.port,
    targets: spec.targetAddress === undefined ? targetsOfService(spec, resolved) : [targetOf(spec, spec.targetAddress)],
    podNetwork: spec.podNetwork,
    protocol: protocols[spec.protocol],
    sources: sourcesOf(spec, resolved),
    allowedSources: spec.allowedSourceCIDRs?.map(parseCidr).filter((cidr) => cidr !== undefined),
    connectTimeoutMs: spec.timeoutSeconds * 1000,
    connectAttempts: spec.connectAttempts,
    maxConnections: spec.maxConnections,
    proxyProtocol: spec.proxyProtocol,
    healthCheck: healthCheckOf(spec),
  }
}

/** The networks of the spec, and the clients that are known to belong to the backend's cluster. */
function sourcesOf(spec: ProxyBackend, resolved: ResolvedBackend | undefined): Cidr[] | undefined {
  const networks = spec.sourcePrefixRanges ?? []
  const isForAll = spec.clientCluster === undefined && resolved?.clients === undefined
  if (networks.length === 0 && isForAll) return undefined
  const clients = (resolved?.clients ?? []).map((address) => `${address}/32`)
  return [...networks, ...clients].map(parseCidr).filter((cidr) => cidr !== undefined)
}

function healthCheckOf({ healthCheck }: ProxyBackend): HealthCheck | undefined {
  if (healthCheck === undefined) return undefined
  const [intervalMs, timeoutMs] = [parseDuration(healthCheck.interval), parseDuration(healthCheck.timeout)]
  return intervalMs === undefined || timeoutMs === undefined ? undefined : { intervalMs, timeoutMs }
}

/** The pods themselves first: the Service's own address works without them being known, but hides which one failed. */
function targetsOfService(spec: ProxyBackend, resolved: ResolvedBackend | undefined): Target[] {
  const endpoints = resolved?.endpoints ?? []
  const targets: Target[] = endpoints.map(({ address, port }) => ({ host: address, port, tier: 0 }))
  if (resolved?.clusterIP !== undefined) targets.push({ host: resolved.clusterIP, port: spec.targetPort, tier: 1 })
  return targets
}

function targetOf(spec: ProxyBackend, host: string): Target {
  return { host, port: spec.targetPort, tier: 0 }
}

export function isAddress(host: string): boolean {
  return parseIpv4(host) !== undefined || parseIpv6(host) !== undefined
}
