import type { Metrics } from '../../runtime/observe/metrics.ts'
import type { AnswerCache } from './forward/cache.ts'
import type { Forwarder } from './forward/forwarder.ts'
import { upstreamErrors } from './forward/upstream.ts'
import type { QueryCounters } from './server/counters.ts'
import type { ListenerSet } from './server/listener-set.ts'

interface Measured {
  readonly counters: QueryCounters
  readonly cache: AnswerCache
  readonly forwarder: Forwarder
  readonly listeners: ListenerSet
}

const forwardBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

export function forwardDuration(metrics: Metrics): (seconds: number) => void {
  const text = { name: 'oooi_dns_forward_duration_seconds', help: 'Time until a forwarded question was answered.' }
  return metrics.histogram(text, forwardBuckets)
}

/** Everything here is read at scrape time; a query costs one addition. */
export function exposeMetrics(metrics: Metrics, { counters, cache, forwarder, listeners }: Measured): void {
  const one = (value: number) => [{ value }]
  metrics.counter(
    { name: 'oooi_dns_queries_total', help: 'Queries answered.', labels: ['view', 'type', 'rcode'] },
    () => counters.replySamples(),
  )
  metrics.counter(
    { name: 'oooi_dns_dropped_total', help: 'Packets and connections that got no answer.', labels: ['reason'] },
    () => counters.dropSamples(),
  )
  metrics.counter({ name: 'oooi_dns_cache_hits_total', help: 'Forwarded names answered from the cache.' }, () =>
    one(cache.hits),
  )
  metrics.counter({ name: 'oooi_dns_cache_misses_total', help: 'Forwarded names not in the cache.' }, () =>
    one(cache.misses),
  )
  metrics.gauge({ name: 'oooi_dns_cache_bytes', help: 'Size of the cache.' }, () => one(cache.byteCount))
  metrics.gauge({ name: 'oooi_dns_cache_entries', help: 'Answers in the cache.' }, () => one(cache.size))
  metrics.gauge({ name: 'oooi_dns_forward_in_flight', help: 'Questions that wait for an upstream.' }, () =>
    one(forwarder.inFlightCount),
  )
  metrics.counter({ name: 'oooi_dns_forward_overload_total', help: 'Questions refused because too many wait.' }, () =>
    one(forwarder.overloads),
  )
  metrics.counter(
    { name: 'oooi_dns_upstream_queries_total', help: 'Queries sent to an upstream.', labels: ['upstream'] },
    () => forwarder.upstreams.map(({ label, queryCount }) => ({ labels: { upstream: label }, value: queryCount })),
  )
  metrics.counter(
    {
      name: 'oooi_dns_upstream_errors_total',
      help: 'What went wrong with an upstream.',
      labels: ['upstream', 'reason'],
    },
    () =>
      forwarder.upstreams.flatMap(({ label, errors }) =>
        upstreamErrors.map((reason) => ({ labels: { upstream: label, reason }, value: errors[reason] })),
      ),
  )
  metrics.gauge({ name: 'oooi_dns_upstream_up', help: '1 if the upstream is asked.', labels: ['upstream'] }, () =>
    forwarder.upstreams.map((upstream) => ({
      labels: { upstream: upstream.label },
      value: upstream.isHealthy ? 1 : 0,
    })),
  )
  metrics.gauge({ name: 'oooi_dns_tcp_connections', help: 'Open TCP connections.' }, () =>
    one(listeners.all.reduce((sum, listener) => sum + listener.connectionCount, 0)),
  )
}
