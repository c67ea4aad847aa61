import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Informer } from '../cache/informer.ts'
import type { KubeObject } from '../kube/object.ts'
import type { Transport } from '../kube/transport.ts'
import type { Election } from '../leader/election.ts'
import type { Metrics, Sample } from '../observe/metrics.ts'
import type { Controller } from './controller.ts'

export interface RuntimeParts {
  readonly transport: Transport
  readonly informers: readonly Pick<Informer<KubeObject>, 'kind' | 'hasSynced' | 'stats'>[]
  readonly controllers: readonly Controller[]
  readonly election?: Election
}

/** Registers what the runtime counts. Everything is read at scrape time. Names begin with the prefix. */
export function registerRuntimeMetrics(metrics: Metrics, prefix: string, parts: RuntimeParts): void {
  const { transport, informers, controllers, election } = parts
  const byController = (name: string, help: string, value: (stats: ReturnType<Controller['stats']>) => number): void =>
    metrics.gauge({ name: `${prefix}_${name}`, help, labels: ['controller'] }, () =>
      controllers.map((controller) => ({ labels: { controller: controller.name }, value: value(controller.stats()) })),
    )

  metrics.counter(
    {
      name: `${prefix}_api_calls_total`,
      help: 'Answers of the API server; status 0 is none.',
      labels: ['method', 'status'],
    },
    () => [...transport.stats().calls].map(([key, value]) => ({ labels: methodAndStatus(key), value })),
  )
  metrics.counter({ name: `${prefix}_api_retries_total`, help: 'Calls that the client repeated by itself.' }, () => [
    { value: transport.stats().retries },
  ])
  metrics.counter(
    { name: `${prefix}_reconciles_total`, help: 'Reconciles by how they ended.', labels: ['controller', 'result'] },
    () => controllers.flatMap(resultSamples),
  )
  byController('queue_waiting', 'Keys that wait for a worker.', (stats) => stats.waiting)
  byController('queue_delayed', 'Keys that wait for their time.', (stats) => stats.delayed)
  byController('queue_in_work', 'Keys that are worked on.', (stats) => stats.inWork)
  byController('queue_failing', 'Keys whose last reconcile failed.', (stats) => stats.failing)
  metrics.gauge({ name: `${prefix}_cache_objects`, help: 'Objects in the cache.', labels: ['kind'] }, () =>
    informers.map((informer) => ({ labels: { kind: informer.kind }, value: informer.stats().objects })),
  )
  metrics.gauge({ name: `${prefix}_cache_synced`, help: '1 once the cache is complete.', labels: ['kind'] }, () =>
    informers.map((informer) => ({ labels: { kind: informer.kind }, value: informer.hasSynced ? 1 : 0 })),
  )
  metrics.counter(
    {
      name: `${prefix}_cache_happenings_total`,
      help: 'What happened to the watch of a kind.',
      labels: ['kind', 'what'],
    },
    () => informers.flatMap(happeningSamples),
  )
  metrics.gauge({ name: `${prefix}_leader`, help: '1 while this process is the leader.' }, () => [
    { value: election && !election.isLeader ? 0 : 1 },
  ])
  const delay = monitorEventLoopDelay()
  delay.enable()
  metrics.gauge(
    {
      name: `${prefix}_event_loop_delay_seconds`,
      help: 'Longest delay since the last scrape; seconds lose the lease.',
    },
    () => {
      const value = delay.max / 1e9
      delay.reset()
      return [{ value }]
    },
  )
}

function resultSamples(controller: Controller): Sample[] {
  return Object.entries(controller.stats().results).map(([result, value]) => ({
    labels: { controller: controller.name, result },
    value,
  }))
}

function happeningSamples(informer: RuntimeParts['informers'][number]): Sample[] {
  const { objects: _, ...happenings } = informer.stats()
  return Object.entries(happenings).map(([what, value]) => ({ labels: { kind: informer.kind, what }, value }))
}

function methodAndStatus(key: string): { method: string; status: string } {
  const [method = '', status = ''] = key.split(' ')
  return { method, status }
}
