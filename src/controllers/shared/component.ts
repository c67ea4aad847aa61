import type { DHCPServer } from '../../api/dhcpserver.ts'
import type { DNSServer } from '../../api/dnsserver.ts'
import type { Infra } from '../../api/infra.ts'
import type { KindDefinition, KindName } from '../../api/kinds.ts'
import { serverAddressesOf } from '../../api/network.ts'
import type { ProxyServer } from '../../api/proxyserver.ts'
import { type ComponentRole, componentLabel, type RenderedObject } from '../../core/render/object.ts'
import { attachmentOf, placeOf, type RenderSettings } from '../../core/render/render.ts'
import type { Problem } from '../../core/result.ts'
import { componentStatements } from '../../core/status/component.ts'
import { whyNotApplied } from '../../core/status/engine.ts'
import type { Statement } from '../../core/status/statement.ts'
import type { Binding } from '../../core/translate/binding.ts'
import type { Existing } from '../../runtime/apply/plan.ts'
import type { Informer } from '../../runtime/cache/informer.ts'
import { type Condition, summary } from '../../runtime/conditions/conditions.ts'
import { Controller } from '../../runtime/controller/controller.ts'
import { controllerKeys } from '../../runtime/controller/owner.ts'
import type { Reconcile } from '../../runtime/controller/reconcile.ts'
import type { Kind } from '../../runtime/kube/kind.ts'
import { type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import { clustersOf } from './clusters.ts'
import { infraOf } from './holder.ts'
import { type OwnObject, ownedKinds } from './kinds.ts'
import { conflictAt, followNeighbours, neighboursOf } from './neighbours.ts'
import { OwnedObjects, type Performed, refusalOf, type Wanted } from './objects.ts'
import type { Operator } from './operator.ts'
import { forgetRead, readInfra, understand } from './read.ts'
import { StatusReport } from './status.ts'

export type Component = DHCPServer | DNSServer | ProxyServer

/** The Infra that a component belongs to, if it was not made by hand. */
export interface Belonging {
  readonly infra: Infra | undefined
  readonly bindings: readonly Binding[]
  /** Namespaces whose control plane HyperShift has yet to make. */
  readonly awaited: readonly string[]
}

/** What was found out elsewhere for a component. */
export interface Findings {
  /** Fields of the status that only this kind has. */
  readonly fields: object
  readonly statements: readonly Statement[]
  /** Of these, the one that keeps the component from being Ready. */
  readonly needed?: Statement | undefined
  /** Said beside Ready. */
  readonly remark?: string | undefined
}

/** What the three component kinds differ in. */
export interface ComponentKind<Resource extends Component> {
  readonly name: KindName
  readonly definition: KindDefinition<Resource>
  readonly kind: Kind<OwnObject>
  readonly role: ComponentRole
  readonly informer: Informer<OwnObject>
  readonly render: (resource: Resource, settings: RenderSettings) => RenderedObject[]
  /** What must not be, although each field is as it should be. */
  readonly judge?: (resource: Resource, belonging: Belonging) => readonly Problem[]
  readonly isKept?: (resource: Resource, object: RenderedObject) => boolean
  readonly find: (
    resource: Resource,
    belonging: Belonging,
    objects: readonly KubeObject[],
    conditions: readonly Condition[],
  ) => Findings
  /** Tells as events what the engine reports. */
  readonly tell?: (live: OwnObject) => void
}

const lookAgainMs = 30_000
const nothing: Performed = { objects: [], problems: [], lookAgain: false }

/** One component: the objects of its pod as they should be, and a status of what was observed of it. */
export function componentController<Resource extends Component>(
  operator: Operator,
  part: ComponentKind<Resource>,
): Controller {
  const { caches, clock, log, settings } = operator
  const { informer, kind, role } = part
  const owned = new OwnedObjects(operator.writer)
  const report = new StatusReport(operator, kind)

  const reconcile: Reconcile = async (key, { signal }) => {
    const live = informer.objects.get(key)
    if (!live || live.metadata.deletionTimestamp) return undefined
    const { resource, problems: mistakes, warnings } = understand(part.name, part.definition, live)
    const belonging = belongingOf(operator, live)
    const fieldProblems = [...mistakes, ...(resource ? placeless(resource) : [])]
    const denials = resource ? (part.judge?.(resource, belonging) ?? []) : []

    let performed = nothing
    let failure: unknown
    if (resource && fieldProblems.length === 0) {
      const wanted = wantedOf(part, resource, {
        ...settings,
        cidr: belonging.infra?.spec.networkConfig.cidr,
        assignsUsers: hasUsersOfItsOwn(caches.namespaces.objects.get(live.metadata.namespace ?? '')),
      })
      try {
        performed = await owned.make(live, wanted, existingOf(operator, live, wanted), signal)
      } catch (error) {
        failure = error
      }
    }
    const problems = [...fieldProblems, ...denials, ...performed.problems, ...refusalOf(failure)]

    // Also after a failure: what is not permitted any more is told to the pod here.
    const findings = resource && part.find(resource, belonging, performed.objects, live.status?.conditions ?? [])
    const statements = observe(operator, part, live, resource, belonging, { problems, warnings }, performed)
    const needed = [...statements, ...(findings?.needed ? [findings.needed] : [])]
    const generation = live.metadata.generation ?? 0
    const infraName = belonging.infra?.metadata.name
    const [address] = serverAddressesOf(resource?.spec.networkConfig ?? {})
    const remarks = [findings?.remark ?? '', conflictAt(operator, live, infraName, address)].filter(Boolean)
    const good = { reason: 'Ready', message: remarks.join('; '), observedGeneration: generation }
    const ready = summary('Ready', needed, good)
    const fields = withNeighbours(findings?.fields ?? {}, neighboursOf(operator, live, infraName))
    await report.write(live, [ready, ...statements, ...(findings?.statements ?? [])], fields, signal)
    part.tell?.(live)
    if (failure !== undefined) throw failure
    return performed.lookAgain ? { requeueAfterMs: lookAgainMs } : undefined
  }

  const controller = new Controller({ name: role.plural, reconcile, clock, log, workers: 12 })
  controller.watch(informer)
  const toOwner = controllerKeys(kind)
  const { serviceAccounts, roles, roleBindings, claims, deployments, services } = caches
  for (const cache of [serviceAccounts, roles, roleBindings, deployments]) controller.watch(cache, toOwner)
  controller.watch(services, toOwner)
  controller.watch(claims, (object) => [...toOwner(object), ...toComponent(role, object)])
  controller.watch(caches.pods, (pod) => toComponent(role, pod))
  followNeighbours(operator, controller, role)
  watchAttachments(operator, controller, part)
  informer.onChange(({ type, object }) => {
    if (type !== 'deleted') return
    report.forget(object)
    forgetRead(object)
  })
  return controller
}

/** OpenShift writes the range of user ids it chose into the namespace. */
function hasUsersOfItsOwn(namespace: KubeObject | undefined): boolean {
  return namespace?.metadata.annotations?.['openshift.io/sa.scc.uid-range'] !== undefined
}

/** Every kind is told of the components beside it, among what else was found out for it. */
function withNeighbours(fields: object, neighbours: readonly object[]): object {
  const resolved = 'resolved' in fields && typeof fields.resolved === 'object' ? fields.resolved : undefined
  return { ...fields, ...(resolved ? { resolved: { ...resolved, neighbours } } : {}) }
}

function observe<Resource extends Component>(
  { caches }: Operator,
  { role, informer: _, ...part }: ComponentKind<Resource>,
  live: OwnObject,
  resource: Resource | undefined,
  { infra }: Belonging,
  verdict: { problems: readonly Problem[]; warnings: readonly string[] },
  { objects }: Performed,
): Statement[] {
  const { name, namespace = '', generation = 0 } = live.metadata
  const network = resource?.spec.networkConfig ?? {}
  const attachment = attachmentOf({ name, namespace }, network)
  const written = infra?.spec.networkConfig.attachment
  const known = objects.find((object) => object.kind === 'Deployment')
  return componentStatements({
    generation,
    ...verdict,
    attachment: {
      ...attachment,
      address: serverAddressesOf(network)[0] ?? '',
      isKindInstalled: caches.attachments.installed !== false,
      found: caches.attachments.objects.get(keyOf(attachment)),
      isInDefault: caches.attachments.objects.get(`default/${attachment.name}`) !== undefined,
      maker: written?.kind === 'ClusterUserDefinedNetwork' ? `${written.kind} ${written.name}` : undefined,
    },
    namespace,
    forDhcp: part.name === 'DHCPServer',
    // What was just applied has the generation; what the Deployment controller says of it comes with the cache.
    deployment: known ?? caches.deployments.objects.get(keyOf(live.metadata)),
    pods: caches.pods.objects.byIndex('byComponent', `${role.app}/${namespace}/${name}`),
    servingGeneration: live.status?.servingGeneration,
    whyNotApplied: whyNotApplied(live.status?.conditions),
  })
}

/** In a cluster a component has its address by an attachment only. */
function placeless(resource: Component): Problem[] {
  if (resource.spec.networkConfig.networkAttachmentName !== undefined) return []
  const message = 'is needed in a cluster: the NetworkAttachmentDefinition that puts the pod onto the VLAN'
  return [{ reason: 'InvalidField', field: 'spec.networkConfig.networkAttachmentName', message }]
}

function wantedOf<Resource extends Component>(
  { render, isKept }: ComponentKind<Resource>,
  resource: Resource,
  settings: RenderSettings,
): Wanted[] {
  return render(resource, settings).flatMap((object) => {
    const kind = ownedKinds[object.kind]
    const step = needingOthers.includes(object.kind) ? 1 : 0
    return kind ? [{ kind, object, step, isKept: isKept?.(resource, object) ?? false }] : []
  })
}

/** A binding is refused without its Role, and no pod is made without its ServiceAccount. */
const needingOthers: readonly string[] = ['RoleBinding', 'Deployment']

/** Ours by their owner; and what outlives its owners, by its name. */
function existingOf(
  { caches }: Operator,
  { metadata: { uid = '' } }: OwnObject,
  wanted: readonly Wanted[],
): Existing[] {
  const { serviceAccounts, roles, roleBindings, claims, deployments, services } = caches
  const owned = [serviceAccounts, roles, roleBindings, claims, deployments, services].flatMap((cache) =>
    cache.objects.byIndex('byOwner', uid).flatMap((object) => {
      const kind = ownedKinds[cache.kind]
      return kind ? [{ kind, object }] : []
    }),
  )
  const kept = wanted
    .filter(({ isKept }) => isKept)
    .flatMap(({ kind, object }) => {
      const found = claims.objects.get(keyOf(object.metadata))
      return found ? [{ kind, object: found }] : []
    })
  return [...owned, ...kept]
}

export function belongingOf(operator: Operator, object: OwnObject): Belonging {
  const infra = infraOf(operator.caches, object)
  if (!infra) return { infra: undefined, bindings: [], awaited: [] }
  const { bindings, bound } = clustersOf(operator, infra)
  const awaited = bound.filter(({ awaitsControlPlane }) => awaitsControlPlane)
  return {
    infra: readInfra(infra).resource,
    bindings,
    awaited: awaited.map(({ claim }) => claim.controlPlaneNamespace),
  }
}

function toComponent({ app }: ComponentRole, { metadata: { namespace, labels } }: KubeObject): string[] {
  const name = labels?.[componentLabel]
  return name !== undefined && labels?.app === app ? [`${namespace}/${name}`] : []
}

/** Definitions come and go rarely: then all components of the kind are asked whether it is theirs. */
function watchAttachments<Resource extends Component>(
  { caches }: Operator,
  controller: Controller,
  { name, definition, informer }: ComponentKind<Resource>,
): void {
  caches.attachments.onChange(({ object }) => {
    for (const component of informer.objects.list()) {
      const { resource } = understand(name, definition, component)
      if (!resource) continue
      const attachment = attachmentOf(placeOf(resource), resource.spec.networkConfig)
      const isMeant = [attachment.namespace, 'default'].includes(object.metadata.namespace ?? '')
      if (isMeant && attachment.name === object.metadata.name) controller.trigger(keyOf(component.metadata))
    }
  })
  caches.attachments.onInstalled(() => triggerAll(controller, informer))
}

export function triggerAll(controller: Controller, informer: Informer<OwnObject>): void {
  for (const { metadata } of informer.objects.list()) controller.trigger(keyOf(metadata))
}
