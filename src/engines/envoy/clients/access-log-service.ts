import type { MethodDefinition } from '@grpc/grpc-js'
import { envoyMessages } from '../xds/messages.ts'
import { streamMethod } from '../xds/stream-method.ts'

/** The messages of Envoy's access log service, as far as they are read here. */

export interface AccessLogMessage {
  readonly logEntries: OneOf<'httpLogs', { readonly logEntry: readonly ConnectionEntry[] }>
}

/** What is known of a connection at one moment of its life. */
export interface ConnectionEntry {
  readonly commonProperties?: {
    /** The number of an AccessLogType. */
    readonly accessLogType: number
    readonly downstreamDirectRemoteAddress?: Address
    readonly downstreamLocalAddress?: Address
    readonly tlsProperties?: { readonly tlsSniHostname: string }
    /** Empty before a target is chosen. */
    readonly upstreamCluster: string
    /** Present when a target was reached, and only then. */
    readonly upstreamLocalAddress?: Address
    readonly upstreamTransportFailureReason: string
    /** Absent if there is none to tell of. */
    readonly responseFlags?: { readonly noHealthyUpstream: boolean; readonly upstreamOverflow: boolean }
  }
}

export interface Address {
  readonly address: OneOf<
    'socketAddress',
    { readonly address: string; readonly portSpecifier: OneOf<'portValue', number> }
  >
}

/** One of several fields, or none. There are more than are named here: `case` is to be looked at. */
type OneOf<Name extends string, Value> =
  | { readonly case: Name; readonly value: Value }
  | { readonly case: undefined; readonly value?: undefined }

/** TcpConnectionEnd of envoy.data.accesslog.v3.AccessLogType. */
export const connectionEnd = 3

const service = 'envoy.service.accesslog.v3'

export function accessLogService(): { readonly StreamAccessLogs: MethodDefinition<AccessLogMessage, object> } {
  const messages = envoyMessages()
  return {
    StreamAccessLogs: streamMethod({
      path: `/${service}.AccessLogService/StreamAccessLogs`,
      request: messages.codec<AccessLogMessage>(`${service}.StreamAccessLogsMessage`),
      response: messages.codec<object>(`${service}.StreamAccessLogsResponse`),
      responseStream: false,
    }),
  }
}
