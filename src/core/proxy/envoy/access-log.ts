import { type JsonObject, seconds, typed } from './json.ts'
import { reportIntervalMs } from './tuning.ts'

/** Where oooi itself is, on this host. */
export const discoveryCluster = 'oooi_xds'

/** One line per connection, in the words of the embedded engine as far as Envoy knows the thing. */
const line = {
  time: '%START_TIME%',
  msg: 'connection',
  component: 'envoy',
  client: '%DOWNSTREAM_REMOTE_ADDRESS%',
  listener: '%DOWNSTREAM_LOCAL_ADDRESS%',
  sni: '%REQUESTED_SERVER_NAME%',
  backend: '%UPSTREAM_CLUSTER%',
  target: '%UPSTREAM_HOST%',
  bytesUp: '%BYTES_RECEIVED%',
  bytesDown: '%BYTES_SENT%',
  durationMs: '%DURATION%',
  flags: '%RESPONSE_FLAGS%',
  detail: '%CONNECTION_TERMINATION_DETAILS%',
  targetError: '%UPSTREAM_TRANSPORT_FAILURE_REASON%',
}

const stdout = typed('envoy.extensions.access_loggers.stream.v3.StdoutAccessLog', {
  log_format: { json_format: line },
})

/** For filters: a listener's own log would cut every connection when its format changes. */
export const connectionLog: readonly JsonObject[] = [{ name: 'envoy.access_loggers.stdout', typed_config: stdout }]

/** For plain TCP: a line when the connection ends, and to oooi whom it reached, as soon as it did and while it lasts. */
export const reportedConnectionLog: JsonObject = {
  access_log: [
    {
      name: 'envoy.access_loggers.stdout',
      filter: { log_type_filter: { types: ['TcpConnectionEnd'] } },
      typed_config: stdout,
    },
    {
      // What both loggers say of a connection is the same, but only that for HTTP drops what the stream does not take:
      // that for TCP keeps all of it in memory while oooi does not read.
      name: 'envoy.access_loggers.http_grpc',
      typed_config: typed('envoy.extensions.access_loggers.grpc.v3.HttpGrpcAccessLogConfig', {
        common_config: {
          log_name: 'oooi',
          transport_api_version: 'V3',
          grpc_service: { envoy_grpc: { cluster_name: discoveryCluster } },
          buffer_size_bytes: 16_384,
          buffer_flush_interval: '1s',
        },
      }),
    },
  ],
  access_log_options: {
    flush_access_log_on_connected: true,
    access_log_flush_interval: seconds(reportIntervalMs),
  },
}

/** For listeners: only connections that no chain takes, which else nobody would hear of. */
export const unroutedLog: readonly JsonObject[] = [
  {
    name: 'envoy.access_loggers.stdout',
    filter: { response_flag_filter: { flags: ['NR'] } },
    typed_config: stdout,
  },
]
