import { type Backend, isAddress, type Target } from '../backend.ts'
import { compareText, type JsonObject, seconds, typed } from './json.ts'
import { attemptTimeoutMs, bufferBytes, ejection, keepAlive, unlimitedConnections } from './tuning.ts'

/** Where the places to connect to come from: a discovery service, or the cluster itself. */
export type EndpointSource = 'discovered' | 'inline'

/** A backend without its endpoints, so that they can come and go without touching it. */
export function clusterOf(backend: Backend, endpoints: EndpointSource): JsonObject {
  const isNamed = hasNamedTarget(backend)
  const isDiscovered = endpoints === 'discovered' && !isNamed
  return {
    name: backend.name,
    type: isDiscovered ? 'EDS' : isNamed ? 'STRICT_DNS' : 'STATIC',
    ...(isDiscovered
      ? { eds_cluster_config: { eds_config: { ads: {}, resource_api_version: 'V3', initial_fetch_timeout: '0s' } } }
      : { load_assignment: assignmentOf(backend) }),
    ...(isNamed ? { dns_lookup_family: 'V4_PREFERRED', dns_refresh_rate: '5s', respect_dns_ttl: false } : {}),
    connect_timeout: seconds(Math.min(attemptTimeoutMs, backend.connectTimeoutMs)),
    per_connection_buffer_limit_bytes: bufferBytes,
    lb_policy: 'LEAST_REQUEST',
    // Only when every target of every priority is set aside are all of them tried again.
    // Without a window of 0 the second target to fail within a second would be asked on until that second is over.
    common_lb_config: { healthy_panic_threshold: { value: 1 }, update_merge_window: '0s' },
    circuit_breakers: { thresholds: [limitsOf(backend)] },
    outlier_detection: outlierDetection,
    upstream_connection_options: {
      tcp_keepalive: {
        keepalive_time: keepAlive.idleSeconds,
        keepalive_interval: keepAlive.intervalSeconds,
        keepalive_probes: keepAlive.probes,
      },
    },
    ...(backend.healthCheck ? { health_checks: [connectCheck(backend.healthCheck)] } : {}),
    ...(backend.proxyProtocol ? { transport_socket: proxyProtocolSocket } : {}),
  }
}

/** For an Envoy on its own, which has to resolve them itself. */
function hasNamedTarget({ targets }: Backend): boolean {
  return targets.some(({ host }) => !isAddress(host))
}

/** The pods first, the address of their Service for when none of them answers. */
export function assignmentOf({ name, targets }: Backend): JsonObject {
  const tiers = [0, 1].map((tier) => targets.filter((target) => target.tier === tier)).filter((tier) => tier.length > 0)
  return {
    cluster_name: name,
    endpoints: tiers.map((tier, priority) => ({ priority, lb_endpoints: tier.toSorted(byPlace).map(endpointOf) })),
  }
}

function endpointOf({ host, port }: Target): JsonObject {
  return { endpoint: { address: { socket_address: { address: host, port_value: port } } } }
}

function byPlace(a: Target, b: Target): number {
  return compareText(a.host, b.host) || a.port - b.port
}

function limitsOf({ maxConnections = unlimitedConnections }: Backend): JsonObject {
  const limit = maxConnections
  return { max_connections: limit, max_pending_requests: limit, max_requests: limit, max_retries: limit }
}

/** Plain TCP knows one failure only: the target could not be reached. */
const outlierDetection: JsonObject = {
  interval: '1s',
  split_external_local_origin_errors: true,
  consecutive_local_origin_failure: ejection.failures,
  enforcing_consecutive_local_origin_failure: 100,
  enforcing_local_origin_success_rate: 0,
  enforcing_success_rate: 0,
  enforcing_consecutive_5xx: 0,
  enforcing_consecutive_gateway_failure: 0,
  base_ejection_time: seconds(ejection.durationMs),
  max_ejection_time: seconds(ejection.durationMs),
  max_ejection_percent: 100,
}

/** Healthy is who takes a connection. Without traffic Envoy would check once a minute only. */
function connectCheck({ intervalMs, timeoutMs }: NonNullable<Backend['healthCheck']>): JsonObject {
  return {
    timeout: seconds(timeoutMs),
    interval: seconds(intervalMs),
    no_traffic_interval: seconds(intervalMs),
    unhealthy_threshold: 2,
    healthy_threshold: 1,
    tcp_health_check: {},
  }
}

const proxyProtocolSocket: JsonObject = {
  name: 'envoy.transport_sockets.upstream_proxy_protocol',
  typed_config: typed('envoy.extensions.transport_sockets.proxy_protocol.v3.ProxyProtocolUpstreamTransport', {
    config: { version: 'V2' },
    transport_socket: {
      name: 'envoy.transport_sockets.raw_buffer',
      typed_config: typed('envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer'),
    },
  }),
}
