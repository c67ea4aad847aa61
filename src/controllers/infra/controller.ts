import { failed, type Problem } from '../../core/result.ts'
import { type InfraObservation, infraStatements } from '../../core/status/infra.ts'
import { ApplySet } from '../../runtime/apply/apply-set.ts'
import { findCondition, summary } from '../../runtime/conditions/conditions.ts'
import { Controller } from '../../runtime/controller/controller.ts'
import { addFinalizer, isBeingDeleted } from '../../runtime/controller/finalizer.ts'
import type { Reconcile } from '../../runtime/controller/reconcile.ts'
import { type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import { infraOfPolicy } from '../shared/caches.ts'
import { childrenOf, clustersOf, type GatheredClusters, servedProxy } from '../shared/clusters.ts'
import { heldBy } from '../shared/holder.ts'
import { infraKind, infraOwnedKinds, networkPolicyKind, type OwnObject } from '../shared/kinds.ts'
import { OwnedObjects, type Performed, refusalOf } from '../shared/objects.ts'
import type { Operator } from '../shared/operator.ts'
import { forgetRead, readInfra } from '../shared/read.ts'
import { StatusReport } from '../shared/status.ts'
import { cleanUp, infraFinalizer, isBeingOrphaned } from './deletion.ts'
import { componentsOf, wantedOf } from './desired.ts'
import { Patience } from './patience.ts'
import { wantedPolicies } from './policy.ts'
import { surroundingsWarnings } from './surroundings.ts'
import { watchInfras } from './watches.ts'

const lookAgainMs = 30_000
const nothing: Performed = { objects: [], problems: [], lookAgain: false }

/** Infra: its components as it asks for them, the way to the control plane, and a status made from theirs. */
export function infraController(operator: Operator): Controller {
  const { caches, writer, clock, log } = operator
  // Not blocking: an Infra that is deleted in the foreground does not wait for its components.
  const owned = new OwnedObjects(writer, { isBlocking: false })
  const policies = new ApplySet(writer)
  const report = new StatusReport(operator, infraKind)
  const patience = new Patience()
  /** Uids of those that are deleted with `--cascade=orphan`, which shows in them for a moment only. */
  const orphaned = new Set<string>()

  const reconcile: Reconcile = async (key, { signal }) => {
    const live = caches.infras.objects.get(key)
    if (!live) return undefined
    if (isBeingDeleted(live)) return cleanUp(operator, live, orphaned.has(live.metadata.uid ?? ''), signal)
    const { resource, problems: mistakes, warnings } = readInfra(live)
    const clusters = clustersOf(operator, live)
    const components =
      resource && mistakes.length === 0 ? componentsOf(operator, live, resource, clusters) : failed(...mistakes)

    let performed = nothing
    let failure: unknown
    let foreign: readonly Problem[] = []
    try {
      // The policies first: what is not permitted any more closes at once, whatever else happens.
      const proxy = components.ok ? components.value.proxy : servedProxy(caches, live)
      const isForHostedCluster = clusters.bound.some(({ claim }) => claim.hostedCluster)
      foreign = await applyPolicies(live, proxy, isForHostedCluster, signal)
      if (resource && components.ok) {
        const wanted = wantedOf(resource, components.value, clusters)
        const held = isForHostedCluster ? heldBy(caches, live) : undefined
        performed = await owned.make(live, wanted, existingOf(live), signal, held)
      }
    } catch (error) {
      failure = error
    }
    const mine = components.ok ? [] : components.problems
    const problems = [...mine, ...clusters.conflicts, ...foreign, ...performed.problems, ...refusalOf(failure)]
    const around = resource ? surroundingsWarnings(operator, resource, clusters) : []
    const told = [...warnings, ...around.map(({ message }) => message)]
    const restMs = await reportOn(live, { problems, warnings: told, spec: resource?.spec }, clusters, performed, signal)
    if (failure !== undefined) throw failure
    if (restMs > 0) return { requeueAfterMs: restMs }
    return performed.lookAgain ? { requeueAfterMs: lookAgainMs } : undefined
  }

  /** Writes the status, or tells how long it may still wait for components that will speak in a moment. */
  async function reportOn(
    live: OwnObject,
    judged: Pick<InfraObservation, 'problems' | 'warnings' | 'spec'>,
    { attachments, bound }: GatheredClusters,
    { objects }: Performed,
    signal: AbortSignal,
  ): Promise<number> {
    const { generation = 0 } = live.metadata
    const own = bound.find(({ claim }) => claim.attachment === undefined)
    const parts = infraStatements({
      generation,
      ...judged,
      ...childrenOf(caches, live, objects),
      ownCluster: own && { findings: own.findings, appsStatus: own.claim.appsStatus },
    })
    const isAwaited = judged.problems.length === 0 && parts.some(({ reason }) => reason === 'ComponentPending')
    const restMs = isAwaited ? patience.restMs(live, clock.now()) : 0
    if (restMs > 0) return restMs
    const ready = summary('Ready', parts, { reason: 'Ready', message: '', observedGeneration: generation })
    const isTrue = (type: string): boolean => parts.some((part) => part.type === type && part.status === 'True')
    const componentStatus = {
      dhcpReady: isTrue('DHCPReady'),
      dnsReady: isTrue('DNSReady'),
      proxyReady: isTrue('ProxyReady'),
    }
    const fields = { componentStatus, ...attachedStatus(judged.spec, attachments, own !== undefined) }
    await report.write(live, [ready, ...parts], fields, signal)
    return 0
  }

  async function applyPolicies(
    live: OwnObject,
    proxy: ReturnType<typeof servedProxy>,
    isForHostedCluster: boolean,
    signal: AbortSignal,
  ): Promise<Problem[]> {
    const wanted = wantedPolicies(operator, live, proxy)
    const existing = caches.networkPolicies.objects
      .byIndex('byInfra', keyOf(live.metadata))
      .map((object) => ({ kind: networkPolicyKind, object }))
    if (wanted.length > 0 || isForHostedCluster) await addFinalizer(writer, infraKind, live, infraFinalizer, signal)
    const isOurs = (object: KubeObject): boolean => infraOfPolicy(object).includes(keyOf(live.metadata))
    const desired = wanted.map((object) => ({ kind: networkPolicyKind, object }))
    const { foreign } = await policies.apply({ desired, existing, isOurs, signal })
    return foreign.map(({ metadata }) => ({
      reason: 'ObjectNotOurs',
      message: `NetworkPolicy ${keyOf(metadata)} is there already and belongs to somebody else: it is left alone`,
    }))
  }

  function existingOf({ metadata: { uid = '' } }: OwnObject) {
    const { dhcpServers, dnsServers, proxyServers, services } = caches
    return [dhcpServers, dnsServers, proxyServers, services].flatMap((cache) =>
      cache.objects.byIndex('byOwner', uid).flatMap((object: KubeObject) => {
        const kind = infraOwnedKinds[cache.kind]
        return kind ? [{ kind, object }] : []
      }),
    )
  }

  const controller = new Controller({ name: 'infras', reconcile, clock, log, workers: 4 })
  watchInfras(controller, caches)
  caches.infras.onChange(({ type, object }) => {
    if (isBeingOrphaned(object)) orphaned.add(object.metadata.uid ?? '')
    if (type !== 'deleted') return
    orphaned.delete(object.metadata.uid ?? '')
    report.forget(object)
    patience.forget(object)
    forgetRead(object)
  })
  return controller
}

/** How many clusters are attached, and whether the Infra's own fields for one are in vain. */
function attachedStatus(spec: InfraObservation['spec'], attachments: readonly OwnObject[], hasOwnCluster: boolean) {
  if (attachments.length === 0) return {}
  const isReady = ({ status }: OwnObject): boolean => findCondition(status?.conditions, 'Ready')?.status === 'True'
  const { dns, proxy } = spec?.infraComponents ?? {}
  const own = [dns?.clusterName, proxy?.controlPlaneNamespace, spec?.hostedClusterRef, spec?.appsIngress]
  const total = attachments.length
  const ready = attachments.filter(isReady).length
  const legacyFieldsIgnored = !hasOwnCluster && own.some((field) => field !== undefined)
  return { attachments: { total, ready, legacyFieldsIgnored } }
}
