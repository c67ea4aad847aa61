import type { Backend } from '../backend.ts'
import type { NameRoutes } from '../routes.ts'
import { sourceViewsOf, type View } from '../source-views.ts'
import { connectionLog } from './access-log.ts'
import { compareText, type JsonObject, seconds, typed } from './json.ts'
import { bySource, type OnMatch, toChain } from './match.ts'
import { idleTimeoutMs } from './tuning.ts'

export interface HttpChains {
  readonly chains: readonly JsonObject[]
  /** Which of them a connection gets. */
  readonly match: OnMatch
}

/**
 * The chains of a port that take plain HTTP and route each request by its Host: one for all clients that see the same,
 * so that rules on sources are kept by the choice of the chain.
 */
export function httpChains(routes: NameRoutes): HttpChains {
  const chains = new Map<string, JsonObject>()
  const chainFor = (view: View, name: string): string => {
    const hosts = virtualHosts(view)
    const content = JSON.stringify(hosts)
    const chain = chains.get(content) ?? httpChain(unusedName(name, chains), hosts)
    chains.set(content, chain)
    return String(chain.name)
  }
  const views = sourceViewsOf(routes)
  const otherwise = toChain(chainFor(views.otherwise, 'plain HTTP'))
  const places = views.bySource.map(({ source, view }) => {
    return { source, key: chainFor(view, `plain HTTP to ${backendNamesIn(view)}`) }
  })
  return { chains: [...chains.values()], match: bySource(places, toChain, otherwise) }
}

function httpChain(name: string, hosts: readonly JsonObject[]): JsonObject {
  return {
    name,
    filters: [
      {
        name: 'envoy.filters.network.http_connection_manager',
        typed_config: typed(
          'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
          connectionManager(hosts),
        ),
      },
    ],
  }
}

/** Two views may lead to the same backends by other names. */
function unusedName(wanted: string, chains: ReadonlyMap<string, JsonObject>): string {
  const used = new Set([...chains.values()].map(({ name }) => name))
  for (let number = 2, name = wanted; ; name = `${wanted} (${number})`, number += 1) if (!used.has(name)) return name
}

function connectionManager(hosts: readonly JsonObject[]): JsonObject {
  return {
    stat_prefix: 'plain_http',
    route_config: { name: 'by_host', virtual_hosts: hosts },
    http_filters: [
      {
        name: 'envoy.filters.http.router',
        typed_config: typed('envoy.extensions.filters.http.router.v3.Router', { suppress_envoy_headers: true }),
      },
    ],
    // The request goes on as it came, but for X-Forwarded-For.
    strip_any_host_port: true,
    use_remote_address: true,
    generate_request_id: false,
    server_header_transformation: 'PASS_THROUGH',
    upgrade_configs: [{ upgrade_type: 'websocket' }],
    request_headers_timeout: '10s',
    stream_idle_timeout: seconds(idleTimeoutMs),
    common_http_protocol_options: { idle_timeout: '3600s' },
    access_log: connectionLog,
  }
}

function virtualHosts({ exact, wildcard, default: nameless }: View): JsonObject[] {
  const hosts = [
    ...[...exact].map(([name, to]) => virtualHost(name, to)),
    ...[...wildcard].map(([parent, to]) => virtualHost(`*.${parent}`, to)),
    ...(nameless ? [virtualHost('*', nameless)] : []),
  ]
  return hosts.sort((a, b) => compareText(String(a.name), String(b.name)))
}

function virtualHost(domain: string, to: Backend | 'denied'): JsonObject {
  const isDefault = domain === '*'
  const domains = isDefault ? ['*'] : [domain, `${domain}.`]
  const [name, answer] =
    to === 'denied'
      ? ['no backend', { direct_response: { status: 403 } }]
      : [to.name, { route: { cluster: to.name, timeout: '0s' } }]
  // The default is for who names no host; a name that nobody has is not found.
  const match = { prefix: '/', ...(isDefault ? { headers: [namesNoHost] } : {}) }
  return { name: `${name}: ${domain}`, domains, routes: [{ match, ...answer }] }
}

const namesNoHost: JsonObject = {
  name: ':authority',
  string_match: { safe_regex: { regex: '([0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[[0-9A-Fa-f:.]+\\])?(:[0-9]*)?' } },
}

function backendNamesIn({ exact, wildcard, default: nameless }: View): string {
  const seen = [...exact.values(), ...wildcard.values(), nameless].filter((to) => to !== undefined && to !== 'denied')
  return [...new Set(seen.map(({ name }) => name))].sort().join(', ') || 'nobody'
}
