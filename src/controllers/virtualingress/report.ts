import type { RouteView } from '../../core/virtualingress/httproute.ts'
import { routeOutcome } from '../../core/virtualingress/route-status.ts'
import {
  backendStatuses,
  type Observation,
  type Outcome,
  summaryOf,
  virtualIngressStatements,
} from '../../core/virtualingress/status.ts'
import { summary } from '../../runtime/conditions/conditions.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import { secondsTimestamp } from '../../runtime/time/timestamp.ts'
import { type OwnObject, virtualIngressKind } from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'
import { StatusReport } from '../shared/status.ts'
import { isBackendStatus } from './published.ts'
import type { GeneratedObjects } from './write.ts'

/** Writes the status of VirtualIngresses. */
export class VirtualIngressReport {
  readonly #operator: Operator
  readonly #made: GeneratedObjects
  readonly #report: StatusReport

  constructor(operator: Operator, made: GeneratedObjects) {
    this.#operator = operator
    this.#made = made
    this.#report = new StatusReport(operator, virtualIngressKind, ['Accepted', 'ResolvedRefs', 'Programmed'])
  }

  async write(live: OwnObject, observed: Omit<Observation, 'generation'>, signal: AbortSignal): Promise<void> {
    const { generation = 0 } = live.metadata
    const owned = this.#made.ownedBy(live).map(({ object }) => object)
    const ingress = owned.find(({ kind }) => kind === 'Ingress')
    const routes = owned.filter(({ kind }) => kind === 'HTTPRoute')
    const outcome = observed.outcome.is === 'written' ? seenOutcome(observed.outcome, routes) : observed.outcome
    const statements = virtualIngressStatements({ ...observed, outcome, generation })
    const ready = summary('Ready', statements, { reason: 'Ready', message: '', observedGeneration: generation })
    const before: unknown = live.status?.resolvedBackends
    const known = Array.isArray(before) ? before.filter(isBackendStatus) : []
    const now = secondsTimestamp(this.#operator.clock.now())
    const fields = {
      summary: summaryOf(observed.backends),
      resolvedBackends: backendStatuses(observed.backends, known, now),
      ...(ingress ? { generatedIngress: identityOf(ingress), loadBalancer: loadBalancerOf(ingress) } : {}),
      ...(routes.length > 0 ? { generatedRoutes: routes.map(identityOf) } : {}),
    }
    await this.#report.write(live, [ready, ...statements], fields, signal)
  }

  forget(live: OwnObject): void {
    this.#report.forget(live)
  }
}

/** Whether a Gateway takes an HTTPRoute is the Gateway's to say. */
function seenOutcome(outcome: Outcome, routes: readonly (KubeObject & RouteView)[]): Outcome {
  const problem = routes.map(routeOutcome).find((found) => found !== undefined)
  return problem ?? outcome
}

function identityOf({ metadata: { name, uid = '' } }: KubeObject): { name: string; uid: string } {
  return { name, uid }
}

interface LoadBalancer {
  readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string; readonly ports?: readonly object[] }[]
}

/** Only the fields that our own status has. */
function loadBalancerOf(ingress: KubeObject & { status?: { loadBalancer?: LoadBalancer } }): object {
  const entries = ingress.status?.loadBalancer?.ingress ?? []
  return {
    ingress: entries.slice(0, 64).map(({ ip, hostname, ports }) => ({
      ...(ip === undefined ? {} : { ip }),
      ...(hostname === undefined ? {} : { hostname }),
      ...(ports === undefined ? {} : { ports }),
    })),
  }
}
