import { apiGroup } from '../../api/meta.ts'
import type { Judgement } from '../../core/appsingress/outcome.ts'
import { serviceRef } from '../../core/appsingress/service.ts'
import { type AppsIngressStatus, appsStatus, lookAgainMs, type Place } from '../../core/appsingress/status.ts'
import type { Problem, Result } from '../../core/result.ts'
import { Controller } from '../../runtime/controller/controller.ts'
import { addFinalizer, isBeingDeleted, removeFinalizer } from '../../runtime/controller/finalizer.ts'
import type { Outcome, Reconcile } from '../../runtime/controller/reconcile.ts'
import { type Key, keyOf } from '../../runtime/kube/object.ts'
import { startDeadline } from '../../runtime/time/deadline.ts'
import { secondsTimestamp } from '../../runtime/time/timestamp.ts'
import { Coalesced } from '../shared/coalesced.ts'
import type { OwnObject } from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'
import { onSpecChange } from '../shared/spec-change.ts'
import { hostedTimeoutMs } from './clients.ts'
import { publish } from './hosted-cluster.ts'
import { controlPlaneNamespaceIn, type Located, locate } from './locate.ts'
import { Removal } from './removal.ts'
import { AppsReport } from './report.ts'
import { ownerOf, placeOfClaim, requestOf, type Subject, type SubjectKind } from './subject.ts'
import { troubleOf } from './trouble.ts'

/** Keeps an object until its Service in the hosted cluster is gone, or was given up. */
export const appsIngressFinalizer = `${apiGroup}/apps-ingress`

const removalRetryMs = 5_000

/**
 * The applications of hosted clusters: a Service there, and what came of it in `status.appsIngressStatus` here. DNS and
 * proxy are made from that status by the controller of the Infra; this one writes nothing else of the object.
 */
export function appsIngressController(operator: Operator, kind: SubjectKind): Controller {
  const { writer, clock, log, hosted: clients } = operator
  const report = new AppsReport(operator, kind.kind)
  const removal = new Removal(operator, kind)
  /** Looks of each object since it was last Ready. */
  const looks = new Map<Key, number>()
  /** In which namespaces the HostedCluster and the control plane of each are, for what happens there. */
  const namespaces = new Map<Key, readonly (string | undefined)[]>()

  const reconcile: Reconcile = async (key, { signal }) => {
    const live = kind.informer.objects.get(key)
    if (!live) {
      looks.delete(key)
      namespaces.delete(key)
      await clients.release(`${kind.kind.kind} ${key}`)
      return undefined
    }
    const subject = kind.read(live)
    const before = report.last(live)
    if (isBeingDeleted(live) || (subject && !subject.apps)) return giveUp(live, subject, before, signal)
    // A mistake made in its fields must not take away what is served.
    if (!subject?.apps) return undefined

    const found = locate(operator, subject.meant)
    namespaces.set(key, [subject.meant.ref?.namespace, controlPlaneNamespaceIn(subject.meant)])
    const place = placeOf(subject)
    const isMoved = before?.serviceName !== undefined && !isSame(place, before)
    if (isMoved && !(await removal.remove(live, before, subject, signal))) return { requeueAfterMs: removalRetryMs }
    const { judgement, answeredAt } = await ask(live, subject, subject.apps, found, signal)
    const status = appsStatus(judgement, place, before, answeredAt)
    await report.write(live, status, signal)
    const earlier = looks.get(key) ?? 0
    looks.set(key, status.phase === 'Ready' ? 0 : earlier + 1)
    return { requeueAfterMs: lookAgainMs(status, earlier) }
  }

  /** What the hosted cluster says, or why it could not be asked. */
  async function ask(
    live: OwnObject,
    subject: Subject,
    apps: NonNullable<Subject['apps']>,
    found: Result<Located>,
    signal: AbortSignal,
  ): Promise<{ judgement: Judgement; answeredAt?: string }> {
    const problems = found.ok ? withoutIngress(found.value) : found.problems
    const [problem] = problems
    if (!found.ok || problem) {
      await clients.release(subject.owner)
      return { judgement: troubled(problem) }
    }
    const deadline = startDeadline(clock, hostedTimeoutMs, signal, () => new Error('the hosted cluster is too slow'))
    try {
      const client = await clients.use(subject.owner, found.value)
      const request = requestOf(subject, apps, found.value, operator)
      const judgement = await publish(client, request, () => keep(live, signal), deadline.signal)
      const changed = (): void => changes.ask(keyOf(live.metadata))
      await clients.watch(subject.owner, found.value, serviceRef(request), changed)
      return { judgement, answeredAt: secondsTimestamp(clock.now()) }
    } catch (error) {
      const trouble = signal.aborted ? undefined : troubleOf(error, found.value)
      if (!trouble) throw error
      return { judgement: { addresses: [], trouble } }
    } finally {
      deadline.cancel()
    }
  }

  async function keep(live: OwnObject, signal: AbortSignal): Promise<void> {
    await addFinalizer(writer, kind.kind, live, appsIngressFinalizer, signal)
  }

  /** The Service goes, then the status, then the finalizer. */
  async function giveUp(
    live: OwnObject,
    subject: Subject | undefined,
    before: AppsIngressStatus | undefined,
    signal: AbortSignal,
  ): Promise<Outcome | undefined> {
    const key = keyOf(live.metadata)
    const isKept = live.metadata.finalizers?.includes(appsIngressFinalizer) === true
    const place = before ?? (subject && placeOf(subject))
    const isInherited = !isBeingDeleted(live) && place !== undefined && hasHeir(subject, place)
    const isOver = !isKept || isInherited || (await removal.remove(live, place, subject, signal))
    if (!isOver) return { requeueAfterMs: removalRetryMs }
    await clients.release(ownerOf(kind.kind, live))
    namespaces.delete(key)
    looks.delete(key)
    if (before && !isBeingDeleted(live)) await report.write(live, undefined, signal)
    if (isKept) await removeFinalizer(writer, kind.kind, live, appsIngressFinalizer, signal)
    return undefined
  }

  const controller = new Controller({ name: `${kind.kind.plural}-apps`, reconcile, clock, log, workers: 4 })
  // Whoever runs a hosted cluster can change its Service as often as they like; others wait in the same queue.
  const changes = new Coalesced(clock, (key) => controller.trigger(key))
  onSpecChange(kind.informer, ({ metadata }) => controller.trigger(keyOf(metadata)))
  kind.watchOthers((key) => controller.trigger(key))
  kind.informer.onChange(({ type, object }) => {
    if (type === 'deleted') report.forget(object)
  })
  const touch = (namespace: string | undefined): void => {
    for (const [key, own] of namespaces) if (own.includes(namespace)) controller.trigger(key)
  }
  watchControlPlanes(operator, touch)
  return controller
}

/** Everything that decides whether and where a hosted cluster is asked. */
function watchControlPlanes({ caches }: Operator, touch: (namespace: string | undefined) => void): void {
  caches.hostedControlPlanes.onChange((change) => {
    // Its status tells a lot that is no matter here.
    if (change.type !== 'updated') touch(change.object.metadata.namespace)
  })
  caches.hostedClusters.onChange((change) => {
    const isReport =
      change.type === 'updated' && change.object.metadata.generation === change.previous.metadata.generation
    const { name, namespace = '' } = change.object.metadata
    if (!isReport) touch(controlPlaneNamespaceIn({ ref: { name, namespace } }))
  })
  caches.namespaces.onChange((change) => {
    const { name, annotations } = change.object.metadata
    const earlier = change.type === 'updated' ? change.previous.metadata.annotations : undefined
    if (JSON.stringify(annotations) !== JSON.stringify(earlier)) touch(name)
  })
}

function withoutIngress({ hostedCluster }: Located): Problem[] {
  if (!hostedCluster.disabledCapabilities.includes('Ingress')) return []
  const message = `HostedCluster ${keyOf(hostedCluster)} was made without the capability Ingress, so it has no router`
  return [{ reason: 'IngressDisabled', message }]
}

function troubled(problem: Problem | undefined): Judgement {
  const { reason, message } = problem ?? { reason: 'ControlPlanePending' as const, message: '' }
  return { addresses: [], trouble: { reason, message } }
}

/** Then the Service stays as it is, and gets another owner. */
function hasHeir(subject: Subject | undefined, place: Place | AppsIngressStatus): boolean {
  return (subject?.heirs ?? []).some((claim) => {
    const wanted = placeOfClaim(claim)
    return wanted !== undefined && isSame(wanted, place)
  })
}

function placeOf({ apps, meant }: Subject): Place {
  const { name, namespace } = serviceRef({ spec: apps ?? {} })
  return { hostedCluster: meant.ref && keyOf(meant.ref), serviceName: name, serviceNamespace: namespace }
}

function isSame(place: Place, before: Place | AppsIngressStatus): boolean {
  return (
    place.serviceName === before.serviceName &&
    place.serviceNamespace === before.serviceNamespace &&
    (before.hostedCluster === undefined || place.hostedCluster === before.hostedCluster)
  )
}
