import { type Finding, preflightFindings } from '../discover/checks.ts'
import type { ControlPlane } from '../discover/controlplane.ts'
import { appsDomainOf, clusterDomainOf } from '../discover/domains.ts'
import { type Discovery, discoverEndpoints } from '../discover/endpoints.ts'
import { type HostedCluster, readHostedCluster } from '../discover/hostedcluster.ts'
import { readNodePool } from '../discover/nodepool.ts'
import type { HostedClusterRef } from '../discover/reference.ts'
import { parseCidr } from '../net/cidr.ts'
import type { Problem } from '../result.ts'
import { appsIngressOf, type Binding, domainOf } from '../translate/binding.ts'
import type { Claim } from './claims.ts'
import { backendProblems, type Consent, mayUseNamespace, namespaceNotPermitted } from './consent.ts'

/** What the management cluster shows of hosted clusters. */
export interface HostedWorld {
  /** Whether HyperShift's kinds are installed. */
  readonly knowsHostedClusters: boolean
  /** Whether KubeVirt's are. */
  readonly knowsMachines: boolean
  readonly consent: Consent
  hostedCluster(ref: HostedClusterRef): unknown
  controlPlane(namespace: string): ControlPlane
  /** Undefined where they cannot be seen. */
  nodePools(ref: HostedClusterRef): readonly unknown[] | undefined
}

/** The Infra that clusters are bound to. */
export interface Vlan {
  readonly namespace: string
  readonly cidr: string
  readonly proxyAddresses: readonly string[]
}

/** A claim, and what came of it. */
export interface Bound {
  readonly claim: Claim
  readonly binding: Binding | undefined
  /** Why it is not bound. */
  readonly problems: readonly Problem[]
  /** Of its HostedCluster; undefined if it names none. */
  readonly findings: readonly Finding[] | undefined
  /** HyperShift has not made the control plane yet, so whose it is cannot be known; nothing leads there so long. */
  readonly awaitsControlPlane: boolean
}

/** One hosted cluster on the VLAN as it is known now. */
export function bind(claim: Claim, vlan: Vlan, world: HostedWorld): Bound {
  const refused = clusterNotPermitted(claim, vlan, world.consent)
  const cluster = refused ? undefined : find(claim, world)
  const isOpen = mayUseNamespace(vlan.namespace, claim.controlPlaneNamespace, world.consent)
  const isMade = world.consent.hostedClustersOf(claim.controlPlaneNamespace).length > 0
  const awaitsControlPlane = cluster !== undefined && !isOpen && !isMade
  const domain = domainOf(claim.dns) ?? (cluster && clusterDomainOf(cluster))
  const problems = [
    ...(refused ? [refused] : []),
    // The Infra's own targets are judged one by one, as they may lead elsewhere.
    ...(claim.attachment === undefined || isOpen || awaitsControlPlane ? [] : [planeNotPermitted(claim, vlan, world)]),
    ...(domain === undefined && claim.hostedCluster ? [noDomain(claim.hostedCluster)] : []),
  ]
  const discovery = cluster && discoverEndpoints(cluster, world.controlPlane(claim.controlPlaneNamespace))
  const findings = claim.hostedCluster && !refused ? findingsOf(claim, vlan, world, cluster, discovery) : undefined
  if (problems.length > 0 || domain === undefined) {
    return { claim, binding: undefined, problems, findings, awaitsControlPlane }
  }
  const binding: Binding = {
    ...(claim.attachment === undefined ? {} : { name: claim.attachment }),
    domain,
    controlPlaneNamespace: claim.controlPlaneNamespace,
    apiServerService: claim.apiServerService,
    endpoints: discovery?.endpoints,
    apps: appsOf(claim, vlan, world, { domain, appsDomain: cluster && appsDomainOf(cluster) }),
    knowsItsMachines: cluster?.platform === 'KubeVirt' && !cluster.hasMachinesElsewhere && world.knowsMachines,
  }
  return { claim, binding, problems, findings, awaitsControlPlane }
}

/** An address that was found counts only where connections may go; one that the Infra itself gives is judged with it. */
function appsOf(
  claim: Claim,
  vlan: Vlan,
  { consent }: HostedWorld,
  cluster: { domain: string; appsDomain: string | undefined },
) {
  const { appsIngress, appsStatus, dns, attachment } = claim
  const apps = appsIngressOf(appsIngress, {
    ...cluster,
    clusterName: dns?.clusterName,
    foundAddress: appsStatus?.externalIP,
  })
  const isOwn = attachment === undefined && appsIngress?.address !== undefined
  if (!apps || isOwn) return apps
  const problems = backendProblems(vlan.namespace, { targetAddress: apps.address }, '', consent, parseCidr(vlan.cidr))
  return problems.length === 0 ? apps : undefined
}

function find({ hostedCluster }: Claim, world: HostedWorld): HostedCluster | undefined {
  const object = hostedCluster && world.hostedCluster(hostedCluster)
  return object === undefined ? undefined : readHostedCluster(object)
}

/** In the order in which a person would look into it. */
function findingsOf(
  claim: Claim,
  vlan: Vlan,
  world: HostedWorld,
  cluster: HostedCluster | undefined,
  discovery: Discovery | undefined,
): Finding[] {
  const { hostedCluster: ref = { name: '', namespace: '' }, controlPlaneNamespace } = claim
  const name = `HostedCluster ${ref.namespace}/${ref.name}`
  if (!world.knowsHostedClusters) {
    return [problem('HyperShiftMissing', `${name} is named, but this cluster has no HostedClusters`)]
  }
  if (!cluster || !discovery) return [problem('HostedClusterMissing', `there is no ${name}`)]
  const isMade = world.consent.hostedClustersOf(controlPlaneNamespace).includes(`${ref.namespace}/${ref.name}`)
  const pools = world.nodePools(ref)?.map(readNodePool)
  const wantsApps = claim.appsIngress?.enabled === true
  return [
    ...preflightFindings({ cluster, discovery, vlan, nodePools: pools, wantsApps }),
    ...discovery.problems.map((found) => ({ ...found, isWarning: false })),
    ...(isMade
      ? []
      : [problem('ControlPlanePending', `${name} has no HostedControlPlane in ${controlPlaneNamespace} yet`)]),
    ...discovery.warnings.map((found) => ({ ...found, isWarning: true })),
    ...domainDiffers(claim, cluster),
  ].toSorted((one, other) => Number(one.isWarning) - Number(other.isWarning))
}

function domainDiffers({ dns }: Claim, cluster: HostedCluster): Finding[] {
  const [given, own] = [domainOf(dns), clusterDomainOf(cluster)]
  if (given === undefined || own === undefined || given === own) return []
  const message = `the domain is given as ${given}, that of HostedCluster ${cluster.namespace}/${cluster.name} is ${own}: machines get names below ${given}`
  return [{ ...problem('DomainMismatch', message), isWarning: true }]
}

function problem(reason: Problem['reason'], message: string): Finding {
  return { reason, message, isWarning: false }
}

/** What another namespace's HostedCluster says is told only to whom that namespace permits it. */
function clusterNotPermitted({ hostedCluster }: Claim, { namespace }: Vlan, consent: Consent): Problem | undefined {
  if (!hostedCluster || mayUseNamespace(namespace, hostedCluster.namespace, consent)) return undefined
  const earlier = consent.annotationOf(hostedCluster.namespace)
  return namespaceNotPermitted(namespace, hostedCluster.namespace, 'spec.hostedClusterRef.namespace', earlier)
}

function planeNotPermitted(
  { controlPlaneNamespace: target }: Claim,
  { namespace }: Vlan,
  { consent }: HostedWorld,
): Problem {
  return namespaceNotPermitted(namespace, target, 'spec.controlPlaneNamespace', consent.annotationOf(target))
}

function noDomain({ namespace, name }: HostedClusterRef): Problem {
  const message = `HostedCluster ${namespace}/${name} tells no domain (yet): give dns.clusterName and dns.baseDomain, or wait for it`
  return { reason: 'HostedClusterMissing', message }
}
