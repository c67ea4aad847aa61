import { backlog } from '../../places/waiting.ts'
import { hasNames, isRaw, type PortRoutes } from '../routes.ts'
import { unroutedLog } from './access-log.ts'
import { chainMatcher, rawMatcher } from './chain-matcher.ts'
import { passingChains } from './chains.ts'
import { httpChains } from './http-chain.ts'
import { type JsonObject, seconds, typed } from './json.ts'
import { noChain } from './match.ts'
import { bufferBytes, helloTimeoutMs, keepAlive, unacknowledgedMs } from './tuning.ts'

export interface ListenerPlace {
  readonly address: string
  readonly side: 'vlan' | 'pod'
  /** Is oooi there to be told who connects? */
  readonly isReported: boolean
}

/**
 * One port on one address. Nothing but the chains depends on the backends: Envoy replaces a listener that differs in
 * anything else as a whole, and cuts all of its connections. Only a port that becomes raw, or ceases to be, is such a
 * case: who waits for the first bytes of a client would wait in vain where the server speaks first.
 */
export function listenerOf({ address, side, isReported }: ListenerPlace, routes: PortRoutes): JsonObject {
  const plain = hasNames(routes.http) ? httpChains(routes.http) : undefined
  const chains = isRaw(routes)
    ? passingChains(routes.raw, isReported)
    : [...passingChains(routes.tls, isReported), ...(plain?.chains ?? [])]
  return {
    name: `${side} ${address}:${routes.port}`,
    address: { socket_address: { address, port_value: routes.port } },
    // The address may come up after Envoy, as it does when a pod gets its second interface late.
    freebind: true,
    per_connection_buffer_limit_bytes: bufferBytes,
    listener_filters_timeout: seconds(helloTimeoutMs),
    tcp_backlog_size: backlog,
    socket_options: keepAliveOptions,
    listener_filters: isRaw(routes) ? [] : [tlsInspector],
    access_log: unroutedLog,
    filter_chains: chains.length === 0 ? [closedChain] : chains,
    filter_chain_matcher: isRaw(routes) ? rawMatcher(routes.raw) : chainMatcher(routes.tls, plain?.match),
  }
}

const tlsInspector: JsonObject = {
  name: 'envoy.filters.listener.tls_inspector',
  typed_config: typed('envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector', {
    initial_read_buffer_size: 4096,
  }),
}

/** Envoy refuses a listener without chains. Where all names are for nobody yet the port is open, and closes at once. */
const closedChain: JsonObject = { name: noChain, filters: [] }

/** By the numbers of Linux: the level, then the option, as in socket(7) and tcp(7). */
const [solSocket, soKeepAlive] = [1, 9]
const [ipprotoTcp, tcpKeepIdle, tcpKeepInterval, tcpKeepCount, tcpUserTimeout] = [6, 4, 5, 6, 18]

const keepAliveOptions: readonly JsonObject[] = [
  socketOption(solSocket, soKeepAlive, 1),
  socketOption(ipprotoTcp, tcpKeepIdle, keepAlive.idleSeconds),
  socketOption(ipprotoTcp, tcpKeepInterval, keepAlive.intervalSeconds),
  socketOption(ipprotoTcp, tcpKeepCount, keepAlive.probes),
  socketOption(ipprotoTcp, tcpUserTimeout, unacknowledgedMs),
]

function socketOption(level: number, name: number, value: number): JsonObject {
  return { level, name, int_value: value, state: 'STATE_LISTENING' }
}
