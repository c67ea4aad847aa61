import { type Cidr, formatCidr } from '../../net/cidr.ts'
import { formatIpv4 } from '../../net/ipv4.ts'
import type { Backend } from '../backend.ts'
import type { Destination } from '../destination.ts'
import type { NameRoutes } from '../routes.ts'
import { connectionLog, reportedConnectionLog } from './access-log.ts'
import { type JsonObject, seconds, typed } from './json.ts'
import { attemptTimeoutMs, idleTimeoutMs } from './tuning.ts'

/** No source has this address, so a match on it is a match on nobody. */
const nobody: Cidr = { network: 0xffffffff, prefixLength: 32 }

/** What a client sends that cannot name a host: nothing, or against RFC 6066 an address. */
const namelessPattern = '([0-9]{1,3}(\\.[0-9]{1,3}){3}\\.?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)?'

/**
 * The filter chains of one port for TLS: one for each name and source, because a chain that changes in any way loses
 * its connections, and the others keep theirs. There is no default_filter_chain: it would also get what the TLS
 * inspector cannot read.
 */
export function tlsChains(routes: NameRoutes, isReported: boolean): JsonObject[] {
  const chainsFor = (name: string | undefined, to: Destination) => chainsOf({ name, isReported }, to)
  return [
    ...sorted(routes.exact).flatMap(([name, destination]) => chainsFor(name, destination)),
    ...sorted(routes.wildcard).flatMap(([parent, destination]) => chainsFor(`*.${parent}`, destination)),
    ...(routes.default ? chainsFor(undefined, routes.default) : []),
  ]
}

function chainsOf(common: Pick<ChainPlan, 'name' | 'isReported'>, { bySource, otherwise }: Destination): JsonObject[] {
  if (bySource.length === 0 && otherwise === undefined) return [closedChain(common.name)]
  const isShared = bySource.length > 0
  const ofSources = bySource.map(({ source, backend }) => chain({ ...common, backend, source, isShared }))
  const ofOthers = otherwise ? [chain({ ...common, backend: otherwise, isShared })] : []
  return [...ofSources.toSorted(byName), ...ofOthers]
}

/** A name that is for nobody yet must not fall to a wildcard. Without filters Envoy closes at once. */
function closedChain(name: string | undefined): JsonObject {
  return { name: `nobody: ${name ?? 'no name'}`, filter_chain_match: matchOf(name), filters: [] }
}

function matchOf(name: string | undefined): JsonObject {
  // Envoy keeps a trailing dot as part of the name; clients mean the same host by both.
  return { transport_protocol: 'tls', ...(name === undefined ? {} : { server_names: [name, `${name}.`] }) }
}

interface ChainPlan {
  readonly name: string | undefined
  readonly backend: Backend
  readonly source?: Cidr
  /** Other backends have this name too, each for its own sources. */
  readonly isShared: boolean
  /** To oooi: who came to which backend. */
  readonly isReported: boolean
}

function chain({ name, backend, source, isShared, isReported }: ChainPlan): JsonObject {
  // A match on who may connect refuses others before a target is bothered, but it would disturb matches by source.
  const isAllowedByMatch = backend.allowedSources !== undefined && !isShared
  const sources = source ? [source] : isAllowedByMatch ? orNobody(backend.allowedSources ?? []) : []
  const place = source === undefined ? '' : ` from ${formatCidr(source)}`
  return {
    name: `${backend.name}: ${name ?? 'no name'}${place}`,
    filter_chain_match: {
      ...matchOf(name),
      ...(sources.length === 0 ? {} : { source_prefix_ranges: sources.map(prefixRange) }),
    },
    filters: [
      ...(name === undefined ? [onlyNameless(backend)] : []),
      ...(backend.allowedSources !== undefined && isShared ? [onlyFrom(backend, backend.allowedSources)] : []),
      tcpProxy(backend, isReported),
    ],
  }
}

function tcpProxy(backend: Backend, isReported: boolean): JsonObject {
  return {
    name: 'envoy.filters.network.tcp_proxy',
    typed_config: typed('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', {
      stat_prefix: backend.name,
      cluster: backend.name,
      idle_timeout: seconds(idleTimeoutMs),
      max_connect_attempts: attemptsOf(backend),
      ...(isReported ? reportedConnectionLog : { access_log: connectionLog }),
    }),
  }
}

/** As many as fit into the time of the backend. */
function attemptsOf({ connectTimeoutMs, connectAttempts }: Backend): number {
  const fitting = Math.max(Math.floor(connectTimeoutMs / attemptTimeoutMs), 1)
  return Math.min(fitting, connectAttempts ?? 10)
}

/** A chain without names gets unknown names too; they are not for the default of the port. */
function onlyNameless(backend: Backend): JsonObject {
  return accessRule(backend, 'nameless', {
    permissions: [{ requested_server_name: { safe_regex: { regex: namelessPattern } } }],
    principals: [{ any: true }],
  })
}

function onlyFrom(backend: Backend, sources: readonly Cidr[]): JsonObject {
  return accessRule(backend, 'allowed', {
    permissions: [{ any: true }],
    principals: orNobody(sources).map((source) => ({ direct_remote_ip: prefixRange(source) })),
  })
}

function accessRule(backend: Backend, name: string, policy: JsonObject): JsonObject {
  return {
    name: 'envoy.filters.network.rbac',
    typed_config: typed('envoy.extensions.filters.network.rbac.v3.RBAC', {
      stat_prefix: `${backend.name}.${name}`,
      rules: { action: 'ALLOW', policies: { [name]: policy } },
    }),
  }
}

function orNobody(sources: readonly Cidr[]): readonly Cidr[] {
  return sources.length === 0 ? [nobody] : sources
}

function prefixRange({ network, prefixLength }: Cidr): JsonObject {
  return { address_prefix: formatIpv4(network), prefix_len: prefixLength }
}

function byName(a: JsonObject, b: JsonObject): number {
  return compareText(String(a.name), String(b.name))
}

/** By their text, so that the same routes always give the same bytes. */
function sorted(destinations: ReadonlyMap<string, Destination>): [string, Destination][] {
  return [...destinations].sort(([a], [b]) => compareText(a, b))
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
