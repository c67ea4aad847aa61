import { discoveryCluster } from './access-log.ts'
import { type Json, type JsonObject, typed } from './json.ts'
import type { EnvoyResources } from './resources.ts'

export interface BootstrapOptions {
  /** Tells one Envoy from another: namespace/name, and the pod where there is one. */
  readonly nodeId: string
  /** Where the configuration is asked for, on this host only. */
  readonly xdsPort: number
  /** A Unix socket: whoever reaches the administration can stop Envoy and read its configuration. */
  readonly adminSocket: string
}

/** What Envoy starts with: whom to ask for everything else. */
export function bootstrapOf(options: BootstrapOptions): JsonObject {
  const fromAds = { ads: {}, resource_api_version: 'V3', initial_fetch_timeout: '0s' }
  return {
    ...commonOf(options),
    dynamic_resources: {
      ads_config: {
        api_type: 'DELTA_GRPC',
        transport_api_version: 'V3',
        set_node_on_first_message_only: true,
        grpc_services: [{ envoy_grpc: { cluster_name: discoveryCluster } }],
      },
      cds_config: fromAds,
      lds_config: fromAds,
    },
    static_resources: {
      clusters: [discoveryClusterAt(options.xdsPort)],
    },
  }
}

/** All of it in one file, for an Envoy that asks nobody: to look at, to check, to run without oooi. */
export function staticConfigOf(
  resources: EnvoyResources,
  options: Pick<BootstrapOptions, 'nodeId' | 'adminSocket'>,
): JsonObject {
  return {
    ...commonOf(options),
    static_resources: { clusters: [...resources.clusters.values()], listeners: [...resources.listeners.values()] },
  }
}

function commonOf({ nodeId, adminSocket }: Pick<BootstrapOptions, 'nodeId' | 'adminSocket'>): JsonObject {
  return {
    node: { id: nodeId, cluster: 'oooi' },
    admin: { address: { pipe: { path: adminSocket, mode: 0o600 } } },
    overload_manager: {
      resource_monitors: [
        {
          name: 'envoy.resource_monitors.global_downstream_max_connections',
          typed_config: typed(
            'envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig',
            { max_active_downstream_connections: 50_000 },
          ),
        },
      ],
    },
  }
}

/** The connection to oooi is asked whether it is alive: a half-dead one would mean no updates for hours. */
export function discoveryClusterAt(port: number): JsonObject {
  return {
    name: discoveryCluster,
    type: 'STATIC',
    connect_timeout: '1s',
    load_assignment: assignmentTo(discoveryCluster, { socket_address: { address: '127.0.0.1', port_value: port } }),
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': typed(
        'envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        {
          explicit_http_config: {
            http2_protocol_options: {
              connection_keepalive: { interval: '30s', timeout: '5s' },
              // Also what Envoy holds for an oooi that does not read, before it drops what it has to tell.
              initial_stream_window_size: 1024 * 1024,
            },
          },
        },
      ),
    },
  }
}

function assignmentTo(cluster: string, address: Json): JsonObject {
  return { cluster_name: cluster, endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] }
}
