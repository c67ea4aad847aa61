import { isMapping } from '../../api/shape.ts'
import { managedBy, managedByLabel, type RenderedObject } from '../../core/render/object.ts'
import { aliasFor, servicesTold } from '../../core/virtualingress/annotated-alias.ts'
import { backendsAnnotation, parseBackends, statusAnnotation } from '../../core/virtualingress/annotation.ts'
import type { IngressView } from '../../core/virtualingress/ingress.ts'
import { Controller } from '../../runtime/controller/controller.ts'
import { isBeingDeleted } from '../../runtime/controller/finalizer.ts'
import { controllerKeys, isControlledBy } from '../../runtime/controller/owner.ts'
import type { Reconcile } from '../../runtime/controller/reconcile.ts'
import { describe, type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import { ingressKind } from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'
import { Services } from './services.ts'
import { GeneratedObjects } from './write.ts'

type Ingress = KubeObject & IngressView

const asker = { group: 'networking.k8s.io', kind: 'Ingress' }

/**
 * A plain Ingress that says in an annotation which labels its backends mean: the Service that it names is kept as an
 * alias of the one that has them. The Ingress itself is nobody's but its author's; only our annotation is put onto it.
 */
export function annotatedIngressController(operator: Operator): Controller | undefined {
  const { caches, writer, clock, log, settings, events } = operator
  if (!settings.virtualIngress.annotations) return undefined
  // Others too make objects that belong to an Ingress.
  const isOurs = (object: KubeObject, owner: KubeObject): boolean =>
    isControlledBy(object, owner) && object.metadata.labels?.[managedByLabel] === managedBy
  const made = new GeneratedObjects(writer, caches, isOurs)
  const annotator = writer.as('oooi-virtual-ingress-status')
  const services = new Services(operator, (keys) => {
    for (const key of keys) controller.trigger(key)
  })

  const reconcile: Reconcile = async (key, { signal }) => {
    const live = caches.ingresses.objects.get(key)
    if (!live || isBeingDeleted(live)) return undefined
    const text = live.metadata.annotations?.[backendsAnnotation]
    const before = live.metadata.annotations?.[statusAnnotation]
    if (text === undefined) {
      services.forget(key)
      if (before !== undefined || made.ownedBy(live).length > 0) await write(live, [], undefined, signal)
      return undefined
    }
    const parsed = parseBackends(text)
    if (!parsed.ok) {
      const [problem] = parsed.problems
      await write(live, undefined, { error: problem?.message ?? '' }, signal)
      return undefined
    }
    const { namespace = '' } = live.metadata
    const interests = [...parsed.value.values()].map((wanted) => ({
      namespace: wanted.namespace ?? namespace,
      selector: wanted,
    }))
    services.follow(key, interests, true)
    const world = services.world(asker)
    const current = servicesTold(before ?? '')
    const { selection } = settings.virtualIngress
    const aliases = [...parsed.value].map(([name, wanted]) =>
      aliasFor(live, name, wanted, world, { selection, current: current.get(name) }),
    )
    const wanted = aliases.flatMap(({ objects }) => objects)
    const foreign = await write(live, wanted, Object.fromEntries(aliases.map(({ name, told }) => [name, told])), signal)
    for (const object of foreign) {
      const note = `${describe(object)} is there already and belongs to somebody else: it is left alone`
      events.record({ regarding: live, type: 'Warning', reason: 'NameConflict', action: 'Reconcile', note })
    }
    return undefined
  }

  /** Makes it so, then tells what is new; gives back what is in the way. */
  async function write(
    live: Ingress,
    wanted: readonly RenderedObject[] | undefined,
    told: Readonly<Record<string, unknown>> | undefined,
    signal: AbortSignal,
  ): Promise<readonly KubeObject[]> {
    const foreign = wanted ? (await made.write(live, wanted, signal)).foreign : []
    const names = new Set(foreign.map(({ metadata }) => metadata.name))
    const shown =
      told &&
      Object.fromEntries(
        Object.entries(told).map(([name, what]) => [name, names.has(name) ? { state: 'NameConflict' } : what]),
      )
    const text = shown && JSON.stringify(shown)
    if (live.metadata.annotations?.[statusAnnotation] === text) return foreign
    const { name, namespace, uid = '' } = live.metadata
    const annotations = text === undefined ? {} : { [statusAnnotation]: text }
    const { apiVersion, kind } = ingressKind
    await annotator.apply(
      ingressKind,
      { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}), annotations } },
      uid,
      signal,
    )
    const isGood = Object.values(shown ?? {}).every((what) => isMapping(what) && what.state === 'Resolved')
    const reason = isGood ? 'Resolved' : 'NotResolved'
    const type = isGood ? 'Normal' : 'Warning'
    events.record({
      regarding: live,
      type,
      reason,
      action: 'Reconcile',
      note: text ?? 'no backends are asked for any more',
    })
    return foreign
  }

  const controller = new Controller({ name: 'annotatedingresses', reconcile, clock, log, workers: 4 })
  controller.watch(caches.ingresses, (ingress) => (isConcerned(ingress) ? [keyOf(ingress.metadata)] : []))
  const toOwner = controllerKeys(ingressKind)
  controller.watch(caches.services, toOwner)
  controller.watch(caches.endpointSlices, toOwner)
  caches.ingresses.onChange(({ type, object }) => {
    if (type !== 'deleted') return
    services.forget(keyOf(object.metadata))
    made.forget(object)
  })
  return controller
}

function isConcerned({ metadata: { annotations = {} } }: KubeObject): boolean {
  return annotations[backendsAnnotation] !== undefined || annotations[statusAnnotation] !== undefined
}
