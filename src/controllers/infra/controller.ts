import { kinds } from '../../api/kinds.ts'
import { apiGroup } from '../../api/meta.ts'
import type { ProxyServer } from '../../api/proxyserver.ts'
import { parseCidr } from '../../core/net/cidr.ts'
import { backendProblems } from '../../core/plan/consent.ts'
import { failed, type Problem, type Result } from '../../core/result.ts'
import { type InfraObservation, infraStatements } from '../../core/status/infra.ts'
import { type Components, translate } from '../../core/translate/translate.ts'
import { ApplySet } from '../../runtime/apply/apply-set.ts'
import { summary } from '../../runtime/conditions/conditions.ts'
import { Controller } from '../../runtime/controller/controller.ts'
import { addFinalizer, isBeingDeleted, removeFinalizer } from '../../runtime/controller/finalizer.ts'
import { controllerKeys } from '../../runtime/controller/owner.ts'
import type { Reconcile } from '../../runtime/controller/reconcile.ts'
import { type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import { infraOfPolicy, serviceOfSlice } from '../shared/caches.ts'
import {
  dhcpServerKind,
  dnsServerKind,
  infraKind,
  networkPolicyKind,
  type OwnObject,
  proxyServerKind,
} from '../shared/kinds.ts'
import { OwnedObjects, type Performed, refusalOf } from '../shared/objects.ts'
import { consentOf, type Operator } from '../shared/operator.ts'
import { forgetRead, readInfra, understand } from '../shared/read.ts'
import { clusterAddresses, proxyServiceOf } from '../shared/service.ts'
import { StatusReport } from '../shared/status.ts'
import { wantedPolicies } from './policy.ts'

/** Keeps an Infra until its policies in other namespaces are gone; its components go by garbage collection. */
export const infraFinalizer = `${apiGroup}/network-policies`

const lookAgainMs = 30_000
const nothing: Performed = { objects: [], problems: [], lookAgain: false }

/** Infra: its components as it asks for them, the way to the control plane, and a status made from theirs. */
export function infraController(operator: Operator): Controller {
  const { caches, writer, clock, log } = operator
  const owned = new OwnedObjects(writer)
  const policies = new ApplySet(writer)
  const report = new StatusReport(operator, infraKind)

  const reconcile: Reconcile = async (key, { signal }) => {
    const live = caches.infras.objects.get(key)
    if (!live) return undefined
    if (isBeingDeleted(live)) return cleanUp(operator, live, signal)
    const { resource, problems: mistakes, warnings } = readInfra(live)
    const components = resource && mistakes.length === 0 ? componentsOf(operator, live) : failed(...mistakes)

    let performed = nothing
    let failure: unknown
    let foreign: readonly Problem[] = []
    try {
      // The policies first: what is not permitted any more closes at once, whatever else happens.
      foreign = await applyPolicies(live, components.ok ? components.value.proxy : servedProxy(live), signal)
      if (components.ok) performed = await owned.make(live, wantedOf(components.value), existingOf(live), signal)
    } catch (error) {
      failure = error
    }
    const mine = components.ok ? [] : components.problems
    const problems = [...mine, ...foreign, ...performed.problems, ...refusalOf(failure)]
    await reportOn(live, { problems, warnings, spec: resource?.spec }, performed, signal)
    if (failure !== undefined) throw failure
    return performed.lookAgain ? { requeueAfterMs: lookAgainMs } : undefined
  }

  async function reportOn(
    live: OwnObject,
    judged: Pick<InfraObservation, 'problems' | 'warnings' | 'spec'>,
    { objects }: Performed,
    signal: AbortSignal,
  ): Promise<void> {
    const child = (kind: string, cache: typeof caches.dhcpServers, suffix: string): OwnObject | undefined =>
      objects.find((object) => object.kind === kind) ??
      ownedBy(live, cache.objects.get(`${keyOf(live.metadata)}-${suffix}`))
    const { generation = 0 } = live.metadata
    const parts = infraStatements({
      generation,
      ...judged,
      dhcp: child('DHCPServer', caches.dhcpServers, 'dhcp'),
      dns: child('DNSServer', caches.dnsServers, 'dns'),
      proxy: child('ProxyServer', caches.proxyServers, 'proxy'),
    })
    const ready = summary('Ready', parts, { reason: 'Ready', message: '', observedGeneration: generation })
    const isTrue = (type: string): boolean => parts.some((part) => part.type === type && part.status === 'True')
    const componentStatus = {
      dhcpReady: isTrue('DHCPReady'),
      dnsReady: isTrue('DNSReady'),
      proxyReady: isTrue('ProxyReady'),
    }
    await report.write(live, [ready, ...parts], { componentStatus }, signal)
  }

  /** The proxy as it was asked for last; a mistake made since must not cut it off. */
  function servedProxy(live: OwnObject): ProxyServer | undefined {
    const proxy = ownedBy(live, caches.proxyServers.objects.get(`${keyOf(live.metadata)}-proxy`))
    return proxy && understand('ProxyServer', kinds.ProxyServer, proxy).resource
  }

  async function applyPolicies(
    live: OwnObject,
    proxy: ProxyServer | undefined,
    signal: AbortSignal,
  ): Promise<Problem[]> {
    const wanted = wantedPolicies(operator, live, proxy)
    const existing = caches.networkPolicies.objects
      .byIndex('byInfra', keyOf(live.metadata))
      .map((object) => ({ kind: networkPolicyKind, object }))
    if (wanted.length > 0) await addFinalizer(writer, infraKind, live, infraFinalizer, signal)
    const isOurs = (object: KubeObject): boolean => infraOfPolicy(object).includes(keyOf(live.metadata))
    const desired = wanted.map((object) => ({ kind: networkPolicyKind, object }))
    const { foreign } = await policies.apply({ desired, existing, isOurs, signal })
    return foreign.map(({ metadata }) => ({
      reason: 'ObjectNotOurs',
      message: `NetworkPolicy ${keyOf(metadata)} is there already and belongs to somebody else: it is left alone`,
    }))
  }

  function existingOf({ metadata: { uid = '' } }: OwnObject) {
    return [
      ...caches.dhcpServers.objects.byIndex('byOwner', uid).map((object) => ({ kind: dhcpServerKind, object })),
      ...caches.dnsServers.objects.byIndex('byOwner', uid).map((object) => ({ kind: dnsServerKind, object })),
      ...caches.proxyServers.objects.byIndex('byOwner', uid).map((object) => ({ kind: proxyServerKind, object })),
    ]
  }

  const controller = new Controller({ name: 'infras', reconcile, clock, log, workers: 4 })
  controller.watch(caches.infras)
  for (const cache of [caches.dhcpServers, caches.dnsServers, caches.proxyServers]) {
    controller.watch(cache, controllerKeys(infraKind))
  }
  // What happens in its own namespace is no matter of consent or policies.
  const boundTo = (namespace = ''): string[] =>
    caches.infras.objects
      .byIndex('byControlPlane', namespace)
      .filter(({ metadata }) => metadata.namespace !== namespace)
      .map(({ metadata }) => keyOf(metadata))
  controller.watch(caches.namespaces, ({ metadata }) => boundTo(metadata.name))
  controller.watch(caches.hostedControlPlanes, ({ metadata }) => boundTo(metadata.namespace))
  controller.watch(caches.networkPolicies, (policy) => [
    ...infraOfPolicy(policy),
    ...boundTo(policy.metadata.namespace),
  ])
  controller.watch(caches.services, ({ metadata }) => [...boundTo(metadata.namespace), ...infraOfProxy(metadata)])
  controller.watch(caches.endpointSlices, (slice) => boundTo(serviceOfSlice(slice).split('/')[0]))
  caches.infras.onChange(({ type, object }) => {
    if (type !== 'deleted') return
    report.forget(object)
    forgetRead(object)
  })
  return controller
}

/** What the Infra becomes, or everything in the way: its own contradictions, and what it may not lead to. */
function componentsOf(operator: Operator, live: OwnObject): Result<Components> {
  const { resource } = readInfra(live)
  if (!resource) return failed()
  const { namespace = '' } = live.metadata
  const proxyService = proxyServiceOf(operator.caches, live.metadata)
  const [internalProxyAddress] = resource.spec.appsIngress?.enabled ? clusterAddresses(proxyService) : []
  const components = translate(resource, { mode: 'cluster', internalProxyAddress })
  if (!components.ok) return components
  const vlan = parseCidr(resource.spec.networkConfig.cidr)
  const backends = components.value.proxy?.spec.backends ?? []
  const problems = backends.flatMap((backend) =>
    backendProblems(namespace, backend, `spec.infraComponents.proxy, ${backend.name}`, consentOf(operator), vlan),
  )
  const distinct = [...new Map(problems.map((problem) => [problem.message, problem])).values()]
  return distinct.length > 0 ? failed(...distinct) : components
}

function wantedOf({ dhcp, dns, proxy }: Components) {
  return [
    ...(dhcp ? [{ kind: dhcpServerKind, object: plain(dhcp) }] : []),
    ...(dns ? [{ kind: dnsServerKind, object: plain(dns) }] : []),
    ...(proxy ? [{ kind: proxyServerKind, object: plain(proxy) }] : []),
  ]
}

/** Without fields that are undefined: what is sent is JSON. */
function plain(object: unknown): KubeObject {
  return JSON.parse(JSON.stringify(object))
}

function ownedBy({ metadata: { uid } }: OwnObject, child: OwnObject | undefined): OwnObject | undefined {
  return child?.metadata.ownerReferences?.some((owner) => owner.uid === uid) ? child : undefined
}

/** The Service of a proxy has the address that pods are sent to for the applications. */
function infraOfProxy({ name, namespace, labels }: KubeObject['metadata']): string[] {
  return labels?.app === 'proxy-server' && name.endsWith('-proxy')
    ? [`${namespace}/${name.replace(/-proxy$/, '')}`]
    : []
}

async function cleanUp({ writer }: Operator, live: OwnObject, signal: AbortSignal): Promise<undefined> {
  if (!live.metadata.finalizers?.includes(infraFinalizer)) return undefined
  // Asked anew: the cache may not know yet what was made a moment ago.
  const { items } = await writer.list(networkPolicyKind, { labelSelector: 'app.kubernetes.io/managed-by=oooi', signal })
  const ours = items.filter((policy) => infraOfPolicy(policy).includes(keyOf(live.metadata)))
  for (const { metadata } of ours)
    if (metadata.uid) await writer.delete(networkPolicyKind, metadata, metadata.uid, signal)
  await removeFinalizer(writer, infraKind, live, infraFinalizer, signal)
  return undefined
}
