import { type Json, type JsonObject, typed } from './json.ts'
import type { EnvoyResources } from './resources.ts'

export interface ObservePlace {
  readonly address: string
  readonly port: number
  readonly adminSocket: string
}

/** The resources, and besides them a place where Envoy's metrics and readiness may be read, and nothing else. */
export function withObservation(resources: EnvoyResources, place: ObservePlace): EnvoyResources {
  return {
    ...resources,
    clusters: new Map([...resources.clusters, [adminCluster, clusterTo(place.adminSocket)]]),
    listeners: new Map([...resources.listeners, [metricsListener, listenerAt(place)]]),
  }
}

/** No backend can be called so. */
const adminCluster = 'oooi_admin'
const metricsListener = 'metrics'

function clusterTo(socket: string): JsonObject {
  const address: Json = { pipe: { path: socket } }
  return {
    name: adminCluster,
    type: 'STATIC',
    connect_timeout: '1s',
    load_assignment: { cluster_name: adminCluster, endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
  }
}

function listenerAt({ address, port }: ObservePlace): JsonObject {
  const readable = ['/stats/prometheus', '/ready'].map((path) => ({
    match: { path, headers: [{ name: ':method', string_match: { exact: 'GET' } }] },
    route: { cluster: adminCluster },
  }))
  return {
    name: metricsListener,
    stat_prefix: metricsListener,
    address: { socket_address: { address, port_value: port } },
    // Asking how an overloaded proxy is must still be possible.
    ignore_global_conn_limit: true,
    filter_chains: [
      {
        filters: [
          {
            name: 'envoy.filters.network.http_connection_manager',
            typed_config: typed('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
              stat_prefix: metricsListener,
              route_config: { virtual_hosts: [{ name: metricsListener, domains: ['*'], routes: readable }] },
              http_filters: [
                {
                  name: 'envoy.filters.http.router',
                  typed_config: typed('envoy.extensions.filters.http.router.v3.Router'),
                },
              ],
            }),
          },
        ],
      },
    ],
  }
}
