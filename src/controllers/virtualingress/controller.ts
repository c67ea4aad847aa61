import { kinds } from '../../api/kinds.ts'
import { apiGroup } from '../../api/meta.ts'
import type { VirtualIngress } from '../../api/virtualingress.ts'
import type { Problem } from '../../core/result.ts'
import { backendRefs } from '../../core/virtualingress/backends.ts'
import { type Generation, generate } from '../../core/virtualingress/generate.ts'
import type { LastKnown } from '../../core/virtualingress/resolve.ts'
import type { Interest } from '../../core/virtualingress/selector-index.ts'
import type { Outcome } from '../../core/virtualingress/status.ts'
import { Controller } from '../../runtime/controller/controller.ts'
import { isBeingDeleted } from '../../runtime/controller/finalizer.ts'
import type { Reconcile } from '../../runtime/controller/reconcile.ts'
import { describe, keyOf } from '../../runtime/kube/object.ts'
import { type OwnObject, virtualIngressKind } from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'
import { forgetRead, understand } from '../shared/read.ts'
import { cleanUp } from './cleanup.ts'
import { Happenings } from './events.ts'
import { Latency } from './latency.ts'
import { VirtualIngressMetrics } from './metrics.ts'
import { perform, refused, virtualIngressFinalizer } from './perform.ts'
import { startingPoint } from './published.ts'
import { VirtualIngressReport } from './report.ts'
import { Services } from './services.ts'
import { duplicateRoute } from './sharers.ts'
import { watchVirtualIngresses } from './watches.ts'
import { GeneratedObjects, isRoute, type Written } from './write.ts'

/** How long a Service may be away before its absence is told. */
const blinkMs = 300

const asker = { group: apiGroup, kind: virtualIngressKind.kind }

/** VirtualIngress: the Ingress or HTTPRoutes with the Services that its labels mean now. */
export function virtualIngressController(operator: Operator): Controller {
  const { caches, writer, clock, log, metrics, settings } = operator
  const { selection, generated } = settings.virtualIngress
  const made = new GeneratedObjects(writer, caches)
  const report = new VirtualIngressReport(operator, made)
  const happenings = new Happenings(operator.events)
  /** Where the routes of each VirtualIngress lead, by uid. */
  const leads = new Map<string, ReadonlyMap<string, LastKnown>>()
  /** Who waits for an object of somebody else to make room. */
  const blocked = new Map<string, string>()

  const services = new Services(operator, (keys) => {
    for (const key of keys) {
      latency.begin(key)
      controller.trigger(key)
    }
  })
  const counts = new VirtualIngressMetrics(metrics, () => services.index.size)
  const latency = new Latency(clock, counts.observeLatency)

  const reconcile: Reconcile = async (key, { signal }) => {
    const live = caches.virtualIngresses.objects.get(key)
    if (!live) return undefined
    if (isBeingDeleted(live)) return cleanUp(operator, live, virtualIngressFinalizer, signal)
    const { resource, problems: mistakes, warnings } = understand('VirtualIngress', kinds.VirtualIngress, live)
    const remarks = warnings.map((message): Problem => ({ reason: 'FieldIgnored', message }))
    if (!resource || mistakes.length > 0) {
      const outcome: Outcome = { is: 'held' }
      await report.write(live, { problems: mistakes, warnings: remarks, backends: [], outcome }, signal)
      return undefined
    }

    // A spec is read once for its generation; labels and annotations change without one.
    const { labels, annotations } = live.metadata
    const metadata = { ...resource.metadata, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) }
    const virtualIngress: VirtualIngress = { ...resource, metadata }
    services.follow(key, interestsOf(virtualIngress), readsEndpoints(virtualIngress))
    const uid = live.metadata.uid ?? ''
    const last = leads.get(uid) ?? startingPoint(operator, virtualIngress, live)
    const isPublished = leads.has(uid) || made.ownedBy(live).some(({ object }) => isRoute(object))
    const generation = generate(virtualIngress, services.world(asker), { last, isPublished, selection, generated })

    const isAnswer = latency.isWaiting(key)
    const performed = await latency
      .measure(key, () => perform(operator, made, live, virtualIngress, generation, signal))
      .catch(refused)
    const { failure } = performed
    if (performed.written) remember(key, uid, live, generation, last, performed.written)
    // A Service that is recreated is away for a moment: that alone is not worth a write and a warning.
    const isWorse = generation.backends.some(({ state }) => state !== 'Resolved')
    if (isAnswer && isWorse && !performed.hasWritten && failure === undefined) return { requeueAfterMs: blinkMs }
    counts.note(key, generation.backends)
    const told = [...remarks, ...generation.warnings, ...duplicateRoute(caches, virtualIngress)]
    happenings.warn(live, told)
    const problems = [...generation.problems, ...performed.problems]
    await report.write(live, { ...generation, warnings: told, problems, outcome: performed.outcome }, signal)
    if (failure !== undefined) throw failure
    return undefined
  }

  function remember(
    key: string,
    uid: string,
    live: OwnObject,
    { is, leads: now, wanted }: Generation,
    before: ReadonlyMap<string, LastKnown>,
    written: Written,
  ): void {
    for (const object of written.foreign) blocked.set(describe(object), key)
    // Somebody else's object of the name we want leads nowhere on our behalf.
    const isMade = wanted.length > 0 && written.foreign.length === 0
    if (is === 'withdrawn') leads.delete(uid)
    else if (isMade) leads.set(uid, now)
    const changes = isMade ? happenings.tellChanges(live, before, now) : 0
    counts.backendChanges += changes
    counts.driftCorrections += written.corrected.length
    happenings.tell(live, written, changes > 0)
  }

  function readsEndpoints({ spec }: VirtualIngress): boolean {
    const isAway = backendRefs(spec).some(({ service }) => service.namespace !== undefined)
    return isAway || (spec.selection?.requireReadyEndpoints ?? selection.requireReadyEndpoints)
  }

  const controller = new Controller({
    name: 'virtualingresses',
    reconcile,
    clock,
    log,
    workers: 8,
    onDuration: counts.observeReconcile,
  })
  watchVirtualIngresses(controller, caches, {
    waitingFor(object) {
      const waiting = blocked.get(describe(object))
      blocked.delete(describe(object))
      return waiting
    },
    forget,
  })

  function forget(object: OwnObject): void {
    const key = keyOf(object.metadata)
    leads.delete(object.metadata.uid ?? '')
    services.forget(key)
    latency.forget(key)
    counts.forget(key)
    made.forget(object)
    happenings.forget(object)
    report.forget(object)
    forgetRead(object)
  }

  return controller
}

function interestsOf({ metadata, spec }: VirtualIngress): Interest[] {
  return backendRefs(spec).map(({ service }) => ({
    namespace: service.namespace ?? metadata.namespace ?? '',
    ...(service.name === undefined ? { selector: service } : { name: service.name }),
  }))
}
