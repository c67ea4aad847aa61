import type { Backend } from '../backend.ts'
import type { Destination } from '../destination.ts'
import type { NameRoutes } from '../routes.ts'
import { connectionLog, reportedConnectionLog } from './access-log.ts'
import { compareText, type JsonObject, seconds, typed } from './json.ts'
import { attemptTimeoutMs, idleTimeoutMs } from './tuning.ts'

/**
 * The filter chains of one port for what is passed on unread: one for each backend, because a chain that changes in any way loses its
 * connections, and the others keep theirs. Which connection gets which is the matcher's. There is no
 * default_filter_chain: it would also get what the TLS inspector cannot read.
 */
export function passingChains(routes: NameRoutes, isReported: boolean): JsonObject[] {
  const backends = new Map(
    destinationsIn(routes)
      .flatMap(backendsOf)
      .map((backend) => [backend.name, backend]),
  )
  return [...backends.values()]
    .sort((a, b) => compareText(a.name, b.name))
    .map((backend) => ({ name: backend.name, filters: [tcpProxy(backend, isReported)] }))
}

function destinationsIn({ exact, wildcard, default: nameless }: NameRoutes): Destination[] {
  return [...exact.values(), ...wildcard.values(), ...(nameless ? [nameless] : [])]
}

function backendsOf({ bySource, otherwise }: Destination): Backend[] {
  return [...bySource.map(({ backend }) => backend), ...(otherwise ? [otherwise] : [])]
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
