import { type JsonObject, typed } from './json.ts'

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

/** For listeners: only connections that no chain takes, which else nobody would hear of. */
export const unroutedLog: readonly JsonObject[] = [
  {
    name: 'envoy.access_loggers.stdout',
    filter: { response_flag_filter: { flags: ['NR'] } },
    typed_config: stdout,
  },
]
