import type { Infra } from '../../api/infra.ts'
import { type Finding, preflightFindings } from '../../core/discover/checks.ts'
import { discoverEndpoints } from '../../core/discover/endpoints.ts'
import { readHostedCluster } from '../../core/discover/hostedcluster.ts'
import { readNodePool } from '../../core/discover/nodepool.ts'
import { controlPlaneNamespaceOf, type HostedClusterRef } from '../../core/discover/reference.ts'
import { addressConflicts, networkOf } from '../../core/plan/neighbours.ts'
import type { Problem } from '../../core/result.ts'
import { attachmentProblem, attachmentRemarks, machineNetworkProblem } from '../../core/status/attachment.ts'
import { findCondition } from '../../runtime/conditions/conditions.ts'
import { type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import { surroundingsWarnings } from '../infra/surroundings.ts'
import { clustersOf, hostedWorld, infrasOfHostedCluster } from '../shared/clusters.ts'
import type { OwnObject } from '../shared/kinds.ts'
import type { Observer } from '../shared/operator.ts'
import { readInfra } from '../shared/read.ts'
import { annotationFindings } from './annotations.ts'

/** What was found out about one thing; nothing at all means that all is well. */
export interface Diagnosis {
  readonly subject: string
  readonly findings: readonly Finding[]
}

/** Everything that is wrong or odd, by the very functions that the operator decides by. */
export function examine(observer: Observer, only: HostedClusterRef | undefined): Diagnosis[] {
  const { infras, hostedClusters } = observer.caches
  if (!only) {
    return [
      examineCluster(observer),
      ...[...infras.objects.list()].map((live) => examineInfra(observer, live)),
      ...[...hostedClusters.objects.list()].flatMap((live) => examineAnnotations(observer, live)),
    ]
  }
  const bound = infrasOfHostedCluster(observer.caches, keyOf(only)).flatMap((key) => infras.objects.get(key) ?? [])
  const examined = bound.map((live) => examineInfra(observer, live))
  if (examined.length === 0) return [examineCluster(observer), examineUnbound(observer, only)]
  const cluster = hostedClusters.objects.get(keyOf(only))
  return [examineCluster(observer), ...examined, ...(cluster ? examineAnnotations(observer, cluster) : [])]
}

/** Of a HostedCluster whose annotations are in vain; the Infra that they make speaks for itself. */
function examineAnnotations(observer: Observer, live: KubeObject): Diagnosis[] {
  const findings = annotationFindings(observer, live)
  return findings.length > 0 ? [{ subject: `HostedCluster ${keyOf(live.metadata)}`, findings }] : []
}

/** Kinds of others that something is switched off without. */
function examineCluster({ caches }: Observer): Diagnosis {
  const { attachments, hostedClusters, machines, routes } = caches
  const absent = (isThere: boolean | undefined, problem: Problem, isWarning: boolean): Finding[] =>
    isThere === false ? [{ ...problem, isWarning }] : []
  return {
    subject: 'the cluster',
    findings: [
      ...absent(
        attachments.installed,
        { reason: 'MultusMissing', message: 'NetworkAttachmentDefinitions are not installed' },
        false,
      ),
      ...absent(
        hostedClusters.installed,
        { reason: 'HyperShiftMissing', message: 'HostedClusters are not installed: Infras have to name everything' },
        true,
      ),
      ...absent(
        machines.installed,
        {
          reason: 'KubeVirtMissing',
          message: 'VirtualMachineInstances are not installed: machines are not known by name',
        },
        true,
      ),
      ...absent(
        routes.installed,
        { reason: 'EndpointPending', message: 'Routes are not installed: HostedClusters have to give every hostname' },
        true,
      ),
    ],
  }
}

function examineInfra(observer: Observer, live: OwnObject): Diagnosis {
  const { resource, problems, warnings } = readInfra(live)
  const clusters = clustersOf(observer, live)
  const ready = findCondition(live.status?.conditions, 'Ready')
  const bad = (list: readonly Problem[]): Finding[] => list.map((problem) => ({ ...problem, isWarning: false }))
  const odd = (list: readonly Problem[]): Finding[] => list.map((problem) => ({ ...problem, isWarning: true }))
  const machines = clusters.bound.flatMap(({ claim }) =>
    claim.hostedCluster ? examineMachines(observer, claim.hostedCluster) : [],
  )
  const found = [
    ...bad(problems),
    ...bad(clusters.conflicts),
    ...clusters.bound.flatMap((bound) => [...bad(bound.problems), ...(bound.findings ?? [])]),
    ...(resource ? examineNetwork(observer, resource) : []),
    ...machines,
    ...(resource ? odd([...surroundingsWarnings(observer, resource, clusters), ...rivals(observer, resource)]) : []),
    ...odd(warnings.map((message) => ({ reason: 'UnknownField', message }))),
  ]
  const isExplained = found.some(({ isWarning }) => !isWarning)
  const unready: Finding[] =
    ready?.status === 'True' || isExplained
      ? []
      : [
          {
            reason: 'ComponentPending',
            message: ready ? `it is not Ready: ${ready.message}` : 'no operator has looked at it',
            isWarning: false,
          },
        ]
  return { subject: `Infra ${keyOf(live.metadata)}`, findings: [...found, ...unready] }
}

/** Two who are given one address both answer for it, now and then. */
function rivals({ caches }: Observer, infra: Infra): Problem[] {
  const others = [...caches.infras.objects.list()]
    .filter(({ metadata }) => keyOf(metadata) !== keyOf(infra.metadata))
    .toSorted((one, other) => (keyOf(one.metadata) < keyOf(other.metadata) ? -1 : 1))
    .flatMap((object) => readInfra(object).resource ?? [])
  return addressConflicts(infra, others)
}

/** The definition that the pods of the Infra are attached by. */
function examineNetwork({ caches }: Observer, infra: Infra): Finding[] {
  const network = networkOf(infra)
  if (!network || caches.attachments.installed === false) return []
  const name = keyOf(network)
  const definition = caches.attachments.objects.get(name)
  if (!definition) {
    return [
      {
        reason: 'NetworkAttachmentMissing',
        message: `there is no NetworkAttachmentDefinition ${name}`,
        isWarning: false,
      },
    ]
  }
  const problem = attachmentProblem(name, definition, infra.spec.infraComponents.dhcp?.enabled === true)
  const isElsewhere = ![infra.metadata.namespace, 'default'].includes(network.namespace)
  const isolation = `NetworkAttachmentDefinition ${name}: where Multus isolates namespaces (as on OpenShift) pods of ${infra.metadata.namespace} may not use it; put it there or into default`
  return [
    ...(problem ? [{ ...problem, isWarning: false }] : []),
    ...attachmentRemarks(name, definition).map((remark) => ({ ...remark, isWarning: true })),
    ...(isElsewhere ? [{ reason: 'NetworkAttachmentUnusual' as const, message: isolation, isWarning: true }] : []),
  ]
}

/** The definitions that the machines of a cluster are attached by. */
function examineMachines(observer: Observer, ref: HostedClusterRef): Finding[] {
  const pools = (hostedWorld(observer).nodePools(ref) ?? []).map(readNodePool)
  const names = [...new Set(pools.flatMap(({ networks }) => networks))]
  return names.flatMap((name): Finding[] => {
    const definition = observer.caches.attachments.objects.get(name)
    if (!definition) {
      return [
        {
          reason: 'NetworkAttachmentMissing',
          message: `there is no NetworkAttachmentDefinition ${name} for its machines`,
          isWarning: false,
        },
      ]
    }
    const problem = machineNetworkProblem(name, definition)
    return problem ? [{ ...problem, isWarning: false }] : []
  })
}

/** A HostedCluster that no Infra is for yet: what can be said before there is a VLAN. */
function examineUnbound(observer: Observer, ref: HostedClusterRef): Diagnosis {
  const subject = `HostedCluster ${keyOf(ref)}`
  const world = hostedWorld(observer)
  const object = observer.caches.hostedClusters.objects.get(keyOf(ref))
  if (object === undefined) {
    const message = `there is no ${subject}`
    return { subject, findings: [{ reason: 'HostedClusterMissing', message, isWarning: false }] }
  }
  const cluster = readHostedCluster(object)
  const discovery = discoverEndpoints(cluster, world.controlPlane(controlPlaneNamespaceOf(ref)))
  const vlan = {
    cidr: cluster.annotations['hostedcluster.densityops.com/cidr'] ?? '(of no Infra yet)',
    proxyAddresses: [],
  }
  const nodePools = world.nodePools(ref)?.map(readNodePool)
  const annotated = annotationFindings(observer, object)
  const message = `no Infra is for ${subject}: name it in hostedClusterRef, or annotate it`
  return {
    subject,
    findings: [
      ...preflightFindings({ cluster, discovery, vlan, nodePools, wantsApps: false }),
      ...discovery.problems.map((problem) => ({ ...problem, isWarning: false })),
      ...discovery.warnings.map((problem) => ({ ...problem, isWarning: true })),
      ...examineMachines(observer, ref),
      ...(annotated.length > 0 ? annotated : [{ reason: 'InfraMissing' as const, message, isWarning: true }]),
    ],
  }
}
