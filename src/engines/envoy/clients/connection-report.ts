import { parseIpv4 } from '../../../core/net/ipv4.ts'
import { parseIpv6 } from '../../../core/net/ipv6.ts'
import { parseDnsName } from '../../../core/net/name.ts'
import { isAddress } from '../../../core/proxy/backend.ts'
import { chooseBackend } from '../../../core/proxy/choose.ts'
import { isRaw, type PortRoutes } from '../../../core/proxy/routes.ts'
import { type Address, type ConnectionEntry, connectionEnd } from './access-log-service.ts'

/** A client that came for a backend. */
export interface ConnectionReport {
  readonly client: string
  readonly backend: string
  /** Why it did not get there; undefined if it did. */
  readonly error: string | undefined
}

type Properties = NonNullable<ConnectionEntry['commonProperties']>

/** Undefined if the entry tells nothing: not yet connected, refused by a rule, or not what Envoy would say. */
export function connectionReportOf(
  { commonProperties: connection }: ConnectionEntry,
  ports: ReadonlyMap<number, PortRoutes>,
): ConnectionReport | undefined {
  const client = socketIn(connection?.downstreamDirectRemoteAddress)?.address ?? ''
  if (connection === undefined || (parseIpv4(client) ?? parseIpv6(client)) === undefined) return undefined
  const { upstreamCluster: backend, upstreamLocalAddress, accessLogType, responseFlags } = connection
  if (upstreamLocalAddress !== undefined) return { client, backend, error: undefined }
  // What was turned away for a limit was not tried.
  if (accessLogType !== connectionEnd || responseFlags?.upstreamOverflow) return undefined
  if (!responseFlags?.noHealthyUpstream)
    return backend === '' ? undefined : { client, backend, error: reasonIn(connection) }
  const meant = backendMeant(connection, client, ports)
  return meant === undefined ? undefined : { client, backend: meant, error: 'it has no endpoints' }
}

/** A backend without targets is not named by Envoy: it is the one that the client asked for. */
function backendMeant(
  { downstreamLocalAddress, tlsProperties }: Properties,
  sourceAddress: string,
  ports: ReadonlyMap<number, PortRoutes>,
): string | undefined {
  const routes = ports.get(socketIn(downstreamLocalAddress)?.portSpecifier.value ?? 0)
  const sni = tlsProperties?.tlsSniHostname ?? ''
  const serverName = isAddress(sni) ? undefined : parseDnsName(sni)
  const choice = routes && chooseBackend(isRaw(routes) ? routes.raw : routes.tls, { serverName, sourceAddress })
  return choice?.kind === 'backend' ? choice.backend.name : undefined
}

function socketIn(place: Address | undefined) {
  return place?.address.case === 'socketAddress' ? place.address.value : undefined
}

/** Envoy says when it noticed (`delayed connect error: Connection refused`); what it noticed is what matters. */
function reasonIn({ upstreamTransportFailureReason: reason }: Properties): string {
  const [, error = reason] = /connect error: (.*)/.exec(reason) ?? []
  return error === '' ? 'no answer' : error.toLowerCase()
}
