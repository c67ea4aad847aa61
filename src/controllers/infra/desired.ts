import type { Infra } from '../../api/infra.ts'
import type { InfraClusterAttachment } from '../../api/infraclusterattachment.ts'
import { kinds } from '../../api/kinds.ts'
import { parseCidr } from '../../core/net/cidr.ts'
import { noneServed } from '../../core/plan/clusters.ts'
import { backendProblems } from '../../core/plan/consent.ts'
import { renderExternalServices } from '../../core/render/external.ts'
import { failed, type Result } from '../../core/result.ts'
import type { Components } from '../../core/translate/translate.ts'
import type { Existing } from '../../runtime/apply/plan.ts'
import { type Caches, ownedIn } from '../shared/caches.ts'
import { type GatheredClusters, servedProxy } from '../shared/clusters.ts'
import {
  dhcpServerKind,
  dnsServerKind,
  infraOwnedKinds,
  type OwnObject,
  proxyServerKind,
  serviceKind,
} from '../shared/kinds.ts'
import type { Wanted } from '../shared/objects.ts'
import { consentOf, type Operator } from '../shared/operator.ts'
import { understand } from '../shared/read.ts'
import { clusterAddresses, proxyServiceOf } from '../shared/service.ts'
import { translated } from './translated.ts'

/** What the Infra becomes, or everything in the way: its own contradictions, and what it may not lead to. */
export function componentsOf(
  operator: Operator,
  live: OwnObject,
  infra: Infra,
  clusters: GatheredClusters,
): Result<Components> {
  const { bindings, bound, attachments } = clusters
  const { namespace = '' } = live.metadata
  const { dns, proxy } = infra.spec.infraComponents
  // Of several clusters one that cannot be bound is left out; the only one there is has to be told here.
  const own = attachments.length === 0 ? bound.flatMap(({ problems }) => problems) : []
  if (own.length > 0) return failed(...own)
  if (attachments.length > 0 && bindings.length === 0 && (dns?.enabled || proxy?.enabled)) {
    return failed(...noneServed(clusters))
  }
  const proxyService = proxyServiceOf(operator.caches, live.metadata)
  const [internalProxyAddress] = bindings.some(({ apps }) => apps) ? clusterAddresses(proxyService) : []
  const served = servedProxy(operator.caches, live)
  const components = translated(infra, { mode: 'cluster', internalProxyAddress, bindings, served })
  if (!components.ok) return components
  const vlan = parseCidr(infra.spec.networkConfig.cidr)
  const awaited = bound.flatMap(({ awaitsControlPlane, claim }) =>
    awaitsControlPlane ? [claim.controlPlaneNamespace] : [],
  )
  const backends = (components.value.proxy?.spec.backends ?? []).filter(
    ({ targetNamespace = '' }) => !awaited.includes(targetNamespace),
  )
  const consent = consentOf(operator)
  const problems = backends.flatMap((backend) => {
    const isWritten = proxy?.backends?.some(({ name }) => name === backend.name)
    if (backend.targetNamespace === undefined || isWritten) {
      return backendProblems(namespace, backend, `spec.infraComponents.proxy, ${backend.name}`, consent, vlan)
    }
    // Who wrote no such backend named the namespace, or left it to be worked out.
    const [refusal] = backendProblems(namespace, backend, '', consent, vlan)
    return refusal ? [{ ...refusal, field: 'spec.infraComponents.proxy.controlPlaneNamespace' }] : []
  })
  const distinct = [...new Map(problems.map((problem) => [problem.message, problem])).values()]
  return distinct.length > 0 ? failed(...distinct) : components
}

/** The objects that belong to an Infra. */
export function wantedOf(infra: Infra, { dhcp, dns, proxy }: Components, clusters: GatheredClusters): Wanted[] {
  const attachments = clusters.attachments.flatMap((object): InfraClusterAttachment[] => {
    const { resource } = understand('InfraClusterAttachment', kinds.InfraClusterAttachment, object)
    return resource ? [resource] : []
  })
  const external = proxy ? renderExternalServices(infra, attachments, clusters.bindings, proxy) : []
  return [
    ...(dhcp ? [{ kind: dhcpServerKind, object: dhcp }] : []),
    ...(dns ? [{ kind: dnsServerKind, object: dns }] : []),
    ...(proxy ? [{ kind: proxyServerKind, object: proxy }] : []),
    ...external.map((object) => ({ kind: serviceKind, object })),
  ]
}

/** The objects that belong to it by now. */
export function existingOf(
  { dhcpServers, dnsServers, proxyServers, services }: Caches,
  { metadata: { uid = '' } }: OwnObject,
): Existing[] {
  return [dhcpServers, dnsServers, proxyServers, services].flatMap((cache) => ownedIn(cache, uid, infraOwnedKinds))
}
