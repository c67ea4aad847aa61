import type { Backend } from '../backend.ts'
import type { NameRoutes } from '../routes.ts'
import { connectionLog } from './access-log.ts'
import { compareText } from './chains.ts'
import { type JsonObject, seconds, typed } from './json.ts'
import { idleTimeoutMs } from './tuning.ts'

/** The one chain of a port that takes plain HTTP and routes each request by its Host. */
export function httpChain(routes: NameRoutes): JsonObject {
  return {
    name: 'plain HTTP',
    filter_chain_match: { transport_protocol: 'raw_buffer' },
    filters: [
      {
        name: 'envoy.filters.network.http_connection_manager',
        typed_config: typed(
          'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
          connectionManager(routes),
        ),
      },
    ],
  }
}

function connectionManager(routes: NameRoutes): JsonObject {
  return {
    stat_prefix: 'plain_http',
    route_config: { name: 'by_host', virtual_hosts: virtualHosts(routes) },
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

function virtualHosts({ exact, wildcard, default: nameless }: NameRoutes): JsonObject[] {
  const patterns = [
    ...[...exact].map(([name, { otherwise }]) => ({ domain: name, backend: otherwise })),
    ...[...wildcard].map(([parent, { otherwise }]) => ({ domain: `*.${parent}`, backend: otherwise })),
    ...(nameless ? [{ domain: '*', backend: nameless.otherwise }] : []),
  ]
  return patterns
    .flatMap(({ domain, backend }) => (backend ? [virtualHost(domain, backend)] : []))
    .sort((a, b) => compareText(String(a.name), String(b.name)))
}

function virtualHost(domain: string, backend: Backend): JsonObject {
  const isDefault = domain === '*'
  const domains = isDefault ? ['*'] : [domain, `${domain}.`]
  const route = { cluster: backend.name, timeout: '0s' }
  // The default is for who names no host; a name that nobody has is not found.
  const match = { prefix: '/', ...(isDefault ? { headers: [namesNoHost] } : {}) }
  return { name: `${backend.name}: ${domain}`, domains, routes: [{ match, route }] }
}

const namesNoHost: JsonObject = {
  name: ':authority',
  string_match: { safe_regex: { regex: '([0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[[0-9A-Fa-f:.]+\\])?(:[0-9]*)?' } },
}
