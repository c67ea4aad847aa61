import { kinds } from '../../api/kinds.ts'
import { apiGroup } from '../../api/meta.ts'
import type { VirtualIngress } from '../../api/virtualingress.ts'
import type { Problem } from '../../core/result.ts'
import { backendRefs, routesOf } from '../../core/virtualingress/backends.ts'
import { type Generation, generate } from '../../core/virtualingress/generate.ts'
import type { LastKnown } from '../../core/virtualingress/resolve.ts'
import type { Interest } from '../../core/virtualingress/selector-index.ts'
import type { Outcome } from '../../core/virtualingress/status.ts'
import { Controller } from '../../runtime/controller/controller.ts'
import { addFinalizer, isBeingDeleted } from '../../runtime/controller/finalizer.ts'
import { controllerKeys } from '../../runtime/controller/owner.ts'
import type { Reconcile } from '../../runtime/controller/reconcile.ts'
import { describe, keyOf } from '../../runtime/kube/object.ts'
import { type OwnObject, virtualIngressKind } from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'
import { forgetRead, understand } from '../shared/read.ts'
import { cleanUp } from './cleanup.ts'
import { Happenings } from './events.ts'
import { Latency } from './latency.ts'
import { VirtualIngressMetrics } from './metrics.ts'
import { startingPoint } from './published.ts'
import { VirtualIngressReport } from './report.ts'
import { Services } from './services.ts'
import { GeneratedObjects, isRoute, refusalOf, type Written } from './write.ts'

/** Keeps a VirtualIngress until what was made of it is gone. */
export const virtualIngressFinalizer = `${apiGroup}/generated-objects`

/** How long a Service may be away before its absence is told. */
const blinkMs = 300

const asker = { group: apiGroup, kind: virtualIngressKind.kind }

interface Performed {
  readonly outcome: Outcome
  readonly problems: readonly Problem[]
  readonly written?: Written
  readonly hasWritten: boolean
}

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

    let failure: unknown
    const isAnswer = latency.isWaiting(key)
    const performed = await latency
      .measure(key, () => perform(live, virtualIngress, generation, signal))
      .catch((error: unknown): Performed => {
        failure = error
        const refusal = refusalOf(error)
        if (!refusal) throw error
        return { outcome: { is: 'failed', problem: refusal }, problems: [refusal], hasWritten: false }
      })
    if (performed.written) remember(key, uid, live, generation, last, performed.written)
    // A Service that is recreated is away for a moment: that alone is not worth a write and a warning.
    const isWorse = generation.backends.some(({ state }) => state !== 'Resolved')
    if (isAnswer && isWorse && !performed.hasWritten && failure === undefined) return { requeueAfterMs: blinkMs }
    counts.note(key, generation.backends)
    const shared = duplicates(virtualIngress)
    const told = { ...generation, warnings: [...remarks, ...generation.warnings, ...shared] }
    happenings.warn(live, told.warnings)
    const problems = [...generation.problems, ...performed.problems]
    await report.write(live, { ...told, problems, outcome: performed.outcome }, signal)
    if (failure !== undefined) throw failure
    return undefined
  }

  async function perform(
    live: OwnObject,
    { spec }: VirtualIngress,
    { problems, is, wanted, draft }: Generation,
    signal: AbortSignal,
  ): Promise<Performed> {
    if (problems.length > 0) return { outcome: { is: 'held' }, problems: [], hasWritten: false }
    if (spec.output === 'HTTPRoute' && caches.httpRoutes.installed !== true) {
      const message = settings.virtualIngress.gatewayApi
        ? 'the cluster does not know HTTPRoutes: install the Gateway API, or set output to Ingress'
        : 'the operator was told to make no HTTPRoutes (--gateway-api=false): switch them on, or set output to Ingress'
      const problem: Problem = { reason: 'GatewayApiMissing', message }
      return { outcome: { is: 'failed', problem }, problems: [], hasWritten: false }
    }
    if (spec.suspend || is === 'held') {
      const refusals = await made.rehearse(live, [...wanted, ...draft], signal)
      return { outcome: { is: spec.suspend ? 'suspended' : 'held' }, problems: refusals, hasWritten: false }
    }
    if (is === 'withdrawn') {
      const refusals = await made.rehearse(live, draft, signal)
      const written = await made.write(live, [], signal)
      return { outcome: { is }, problems: refusals, written, hasWritten: written.removed.length > 0 }
    }
    await addFinalizer(writer, virtualIngressKind, live, virtualIngressFinalizer, signal)
    const written = await made.write(live, wanted, signal)
    const hasWritten = [written.created, written.updated, written.corrected].some(({ length }) => length > 0)
    return { outcome: outcomeOf(written), problems: [], written, hasWritten }
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

  function duplicates(virtualIngress: VirtualIngress): Problem[] {
    const { name, namespace = '' } = virtualIngress.metadata
    const sharers = routesOf(virtualIngress.spec).flatMap((route) =>
      caches.virtualIngresses.objects
        .byIndex('byRoute', route)
        .filter(({ metadata }) => metadata.name !== name || metadata.namespace !== namespace)
        .map(({ metadata }) => ({ route, metadata })),
    )
    const [first] = sharers
    if (!first) return []
    const [, , host, , path] = JSON.parse(first.route)
    // Nobody learns here what others have in their namespaces.
    const who = first.metadata.namespace === namespace ? first.metadata.name : 'one of another namespace'
    const message = `${host}${path} is also wanted by ${who}: the ingress controller decides who has it`
    return [{ reason: 'DuplicateRoute', message }]
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
  controller.watch(caches.virtualIngresses)
  const toOwner = controllerKeys(virtualIngressKind)
  for (const cache of [caches.ingresses, caches.httpRoutes]) {
    controller.watch(cache, toOwner)
    cache.onChange(({ object }) => {
      const waiting = blocked.get(describe(object))
      if (waiting === undefined) return
      blocked.delete(describe(object))
      controller.trigger(waiting)
    })
  }
  controller.watch(caches.services, toOwner)
  controller.watch(caches.endpointSlices, toOwner)
  caches.httpRoutes.onInstalled(() => {
    for (const { metadata } of caches.virtualIngresses.objects.list()) controller.trigger(keyOf(metadata))
  })
  caches.virtualIngresses.onChange((change) => {
    triggerSharers(change.object)
    if (change.type === 'updated') triggerSharers(change.previous)
    if (change.type === 'deleted') forget(change.object)
  })

  /** Who wanted the same route has nobody beside it any more, or somebody. */
  function triggerSharers(object: OwnObject): void {
    const { resource } = understand('VirtualIngress', kinds.VirtualIngress, object)
    for (const route of resource ? routesOf(resource.spec) : []) {
      for (const { metadata } of caches.virtualIngresses.objects.byIndex('byRoute', route)) {
        if (metadata.uid !== object.metadata.uid) controller.trigger(keyOf(metadata))
      }
    }
  }

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

function outcomeOf({ foreign, objects }: Written): Outcome {
  const [other] = foreign
  if (!other) {
    const what = objects.filter(isRoute).map(describe)
    return { is: 'written', what: `${what.slice(0, 3).join(', ')}${what.length > 3 ? ', ...' : ''}` }
  }
  const message = `${describe(other)} is there already and belongs to somebody else: it is left alone; give another name in spec.generated.name`
  return { is: 'failed', problem: { reason: 'NameConflict', message } }
}
