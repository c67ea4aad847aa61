import { failed } from '../../core/result.ts'
import { Controller } from '../../runtime/controller/controller.ts'
import { isBeingDeleted } from '../../runtime/controller/finalizer.ts'
import type { Reconcile } from '../../runtime/controller/reconcile.ts'
import { type Attempt, attempt, outcomeOf, problemsOf, untried } from '../shared/attempt.ts'
import { clustersOf, servedProxy } from '../shared/clusters.ts'
import { heldBy } from '../shared/holder.ts'
import { infraKind, type OwnObject } from '../shared/kinds.ts'
import { OwnedObjects } from '../shared/objects.ts'
import type { Operator } from '../shared/operator.ts'
import { forgetRead, readInfra } from '../shared/read.ts'
import { StatusReport } from '../shared/status.ts'
import { cleanUp, isBeingOrphaned } from './deletion.ts'
import { componentsOf, existingOf, wantedOf } from './desired.ts'
import { Patience } from './patience.ts'
import { InfraPolicies } from './policies.ts'
import { infraStatus } from './status.ts'
import { surroundingsWarnings } from './surroundings.ts'
import { watchInfras } from './watches.ts'

/** Infra: its components as it asks for them, the way to the control plane, and a status made from theirs. */
export function infraController(operator: Operator): Controller {
  const { caches, writer, clock, log } = operator
  // Not blocking: an Infra that is deleted in the foreground does not wait for its components.
  const owned = new OwnedObjects(writer, { isBlocking: false })
  const policies = new InfraPolicies(operator)
  const report = new StatusReport(operator, infraKind)
  const patience = new Patience()
  /** Uids of those that are deleted with `--cascade=orphan`, which shows in them for a moment only. */
  const orphaned = new Set<string>()

  const reconcile: Reconcile = async (key, { signal }) => {
    const live = caches.infras.objects.get(key)
    if (!live) return undefined
    if (isBeingDeleted(live)) return cleanUp(operator, live, orphaned.has(live.metadata.uid ?? ''), signal)
    const asked = lookAt(operator, live)
    // The policies first: what is not permitted any more closes at once, whatever else happens.
    const opened = await attempt(() => policies.apply(live, asked.proxy, asked.isForHostedCluster, signal))
    const made = opened.failure === undefined ? await makeComponents(live, asked, signal) : untried
    const restMs = await tell(live, asked, opened, made, signal)
    const outcome = outcomeOf(opened) ?? outcomeOf(made)
    return restMs > 0 ? { requeueAfterMs: restMs } : outcome
  }

  async function makeComponents(live: OwnObject, asked: Asked, signal: AbortSignal): Promise<Attempt> {
    const { resource, components, clusters, isForHostedCluster } = asked
    if (!resource || !components.ok) return untried
    return attempt(() => {
      const wanted = wantedOf(resource, components.value, clusters)
      const held = isForHostedCluster ? heldBy(caches, live) : undefined
      return owned.make(live, wanted, existingOf(caches, live), signal, held)
    })
  }

  /** Writes the status, or says how long that may still wait for components that will speak in a moment. */
  async function tell(
    live: OwnObject,
    asked: Asked,
    opened: Attempt,
    made: Attempt,
    signal: AbortSignal,
  ): Promise<number> {
    const { resource, components, clusters, warnings } = asked
    const own = components.ok ? [] : components.problems
    const problems = [...own, ...clusters.conflicts, ...problemsOf(opened), ...problemsOf(made)]
    const judged = { problems, warnings, spec: resource?.spec }
    const { statements, fields, isPending } = infraStatus(caches, live, judged, clusters, made.performed.objects)
    const restMs = isPending && problems.length === 0 ? patience.restMs(live, clock.now()) : 0
    if (restMs === 0) await report.write(live, statements, fields, signal)
    return restMs
  }

  const controller = new Controller({ name: 'infras', reconcile, clock, log, workers: 4 })
  watchInfras(controller, caches)
  caches.infras.onChange(({ type, object }) => {
    if (isBeingOrphaned(object)) orphaned.add(object.metadata.uid ?? '')
    if (type !== 'deleted') return
    orphaned.delete(object.metadata.uid ?? '')
    owned.forget(object)
    policies.forget(object)
    report.forget(object)
    patience.forget(object)
    forgetRead(object)
  })
  return controller
}

type Asked = ReturnType<typeof lookAt>

/** What the Infra asks for, for which clusters, what becomes of it or what speaks against it. */
function lookAt(operator: Operator, live: OwnObject) {
  const { resource, problems: mistakes, warnings } = readInfra(live)
  const clusters = clustersOf(operator, live)
  const components =
    resource && mistakes.length === 0 ? componentsOf(operator, live, resource, clusters) : failed(...mistakes)
  const around = resource ? surroundingsWarnings(operator, resource, clusters) : []
  return {
    resource,
    clusters,
    components,
    warnings: [...warnings, ...around.map(({ message }) => message)],
    proxy: components.ok ? components.value.proxy : servedProxy(operator.caches, live),
    isForHostedCluster: clusters.bound.some(({ claim }) => claim.hostedCluster),
  }
}
