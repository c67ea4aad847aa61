import type { BackendState } from '../../core/virtualingress/choose.ts'
import type { ResolvedBackend } from '../../core/virtualingress/resolve.ts'
import type { Metrics } from '../../runtime/observe/metrics.ts'

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const states: readonly BackendState[] = [
  'Resolved',
  'NoMatch',
  'Ambiguous',
  'PortNotFound',
  'NotPermitted',
  'NotReady',
  'Stale',
]

/** What is counted about VirtualIngresses. */
export class VirtualIngressMetrics {
  /** How many backends of each VirtualIngress are in which state. */
  readonly #states = new Map<string, ReadonlyMap<BackendState, number>>()
  readonly observeLatency: (seconds: number) => void
  readonly observeReconcile: (seconds: number) => void
  backendChanges = 0
  driftCorrections = 0

  constructor(metrics: Metrics, servicesIndexed: () => number) {
    const name = (rest: string): string => `oooi_virtualingress_${rest}`
    metrics.gauge({ name: name('backends'), help: 'Backends by what came of them.', labels: ['state'] }, () =>
      states.map((state) => ({ labels: { state }, value: this.#sum(state) })),
    )
    metrics.gauge(
      {
        name: name('unresolved'),
        help: 'Backends without a good Service, of the VirtualIngresses that have some.',
        labels: ['namespace', 'name'],
      },
      () => this.#unresolved(),
    )
    metrics.counter({ name: name('backend_changes_total'), help: 'Routes that were led to another Service.' }, () => [
      { value: this.backendChanges },
    ])
    metrics.counter({ name: name('drift_corrections_total'), help: 'Generated objects that were put right.' }, () => [
      { value: this.driftCorrections },
    ])
    metrics.gauge({ name: name('services_indexed'), help: 'Services that are known by their labels.' }, () => [
      { value: servicesIndexed() },
    ])
    this.observeLatency = metrics.histogram(
      {
        name: name('service_to_ingress_seconds'),
        help: 'From the event of a Service to the Ingress that was written.',
      },
      buckets,
    )
    this.observeReconcile = metrics.histogram(
      { name: name('reconcile_duration_seconds'), help: 'How long a reconcile took.' },
      buckets,
    )
  }

  note(key: string, backends: readonly ResolvedBackend[]): void {
    const counts = new Map<BackendState, number>()
    for (const { state } of backends) counts.set(state, (counts.get(state) ?? 0) + 1)
    this.#states.set(key, counts)
  }

  forget(key: string): void {
    this.#states.delete(key)
  }

  #sum(state: BackendState): number {
    return [...this.#states.values()].reduce((sum, counts) => sum + (counts.get(state) ?? 0), 0)
  }

  #unresolved() {
    return [...this.#states].flatMap(([key, counts]) => {
      const value = [...counts].reduce((sum, [state, count]) => (state === 'Resolved' ? sum : sum + count), 0)
      const [namespace = '', name = ''] = key.split('/')
      return value > 0 ? [{ labels: { namespace, name }, value }] : []
    })
  }
}
