import { kinds } from '../../api/kinds.ts'
import { serverAddressesOf } from '../../api/network.ts'
import type { ProxyServer } from '../../api/proxyserver.ts'
import { type ControlPlane, publishedServiceOf, routeHostOf } from '../../core/discover/controlplane.ts'
import { readNodePool } from '../../core/discover/nodepool.ts'
import type { HostedWorld } from '../../core/plan/bind.ts'
import { type Claim, claimsOnVlan } from '../../core/plan/claims.ts'
import { type Clusters, planClusters } from '../../core/plan/clusters.ts'
import type { Children } from '../../core/status/infra.ts'
import { type Key, type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import type { Caches } from './caches.ts'
import { ofInfra } from './holder.ts'
import type { OwnObject } from './kinds.ts'
import { consentOf, type Observer } from './operator.ts'
import { claimsOf, infraOfAttachment, readInfra, understand } from './read.ts'

export interface GatheredClusters extends Clusters {
  /** Everything attached, oldest first, also what cannot be read. */
  readonly attachments: readonly OwnObject[]
  /** What the Infra's own fields ask for where they do not count, because others are attached. */
  readonly ignored?: Claim | undefined
}

/** The hosted clusters on the VLAN of an Infra. */
export function clustersOf(observer: Observer, live: OwnObject): GatheredClusters {
  const { caches } = observer
  const attachments = attachmentsOf(caches, live)
  const { resource } = readInfra(live)
  if (!resource) return { attachments, bound: [], bindings: [], conflicts: [] }
  const own = claimsOf(live)
  const attached = attachments.flatMap(claimsOf)
  const claims = attachments.length === 0 ? own : own.flatMap((claim) => claimsOnVlan(claim, attached))
  const { proxy } = resource.spec.infraComponents
  const vlan = {
    namespace: live.metadata.namespace ?? '',
    cidr: resource.spec.networkConfig.cidr,
    proxyAddresses: proxy ? serverAddressesOf(proxy) : [],
  }
  const planned = planClusters(claims, vlan, hostedWorld(observer), servedProxy(caches, live))
  return { attachments, ...planned, ignored: own.find((claim) => !claims.includes(claim)) }
}

function attachmentsOf({ clusterAttachments }: Caches, { metadata }: OwnObject): OwnObject[] {
  const age = ({ metadata: { creationTimestamp = '', name } }: OwnObject): string => `${creationTimestamp} ${name}`
  return clusterAttachments.objects
    .byIndex('byInfra', keyOf(metadata))
    .toSorted((one, other) => (age(one) < age(other) ? -1 : 1))
}

/** The proxy of an Infra as it was asked for last; a mistake made since must not cut it off. */
export function servedProxy({ proxyServers }: Caches, live: OwnObject): ProxyServer | undefined {
  const proxy = ofInfra(live, proxyServers.objects.get(`${keyOf(live.metadata)}-proxy`))
  return proxy && understand('ProxyServer', kinds.ProxyServer, proxy).resource
}

/** The components of an Infra, those just written as they were written. */
export function childrenOf(caches: Caches, live: OwnObject, written: readonly KubeObject[] = []): Children {
  const child = (kind: string, cache: Caches['dhcpServers'], suffix: string): OwnObject | undefined =>
    written.find((object) => object.kind === kind) ??
    ofInfra(live, cache.objects.get(`${keyOf(live.metadata)}-${suffix}`))
  return {
    dhcp: child('DHCPServer', caches.dhcpServers, 'dhcp'),
    dns: child('DNSServer', caches.dnsServers, 'dns'),
    proxy: child('ProxyServer', caches.proxyServers, 'proxy'),
  }
}

export function hostedWorld(observer: Observer): HostedWorld {
  const { caches } = observer
  const { hostedClusters, machines, nodePools } = caches
  return {
    knowsHostedClusters: hostedClusters.installed !== false,
    knowsMachines: machines.installed !== false,
    consent: consentOf(observer),
    hostedCluster: (ref) => hostedClusters.objects.get(keyOf(ref)),
    controlPlane: (namespace) => controlPlaneIn(caches, namespace),
    nodePools: ({ name, namespace }) =>
      nodePools.installed === false
        ? undefined
        : nodePools.objects.byIndex('byNamespace', namespace).filter((pool) => readNodePool(pool).clusterName === name),
  }
}

function controlPlaneIn({ routes, services }: Caches, namespace: string): ControlPlane {
  return {
    hasRoutes: routes.installed !== false,
    routeHost: (name) => routeHostOf(routes.objects.get(`${namespace}/${name}`)),
    service: (name) => {
      const service = services.objects.get(`${namespace}/${name}`)
      return service && publishedServiceOf(service)
    },
  }
}

/** The keys of the Infras that this HostedCluster is on. */
export function infrasOfHostedCluster(caches: Caches, cluster: Key): Key[] {
  return infrasBy(caches, 'byHostedCluster', cluster)
}

/** The keys of the Infras that lead into this namespace. */
export function infrasBoundTo(caches: Caches, namespace = ''): Key[] {
  return infrasBy(caches, 'byControlPlane', namespace)
}

function infrasBy({ infras, clusterAttachments }: Caches, index: string, value: string): Key[] {
  const own = infras.objects.byIndex(index, value).map(({ metadata }) => keyOf(metadata))
  return [...new Set([...own, ...clusterAttachments.objects.byIndex(index, value).flatMap(infraOfAttachment)])]
}
