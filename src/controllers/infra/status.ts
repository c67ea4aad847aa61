import { type InfraObservation, infraStatements } from '../../core/status/infra.ts'
import { findCondition, type Statement, summary } from '../../runtime/conditions/conditions.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import type { Caches } from '../shared/caches.ts'
import { childrenOf, type GatheredClusters } from '../shared/clusters.ts'
import type { OwnObject } from '../shared/kinds.ts'

interface InfraStatus {
  readonly statements: readonly Statement[]
  /** The other fields of the status. */
  readonly fields: object
  /** A component has not said anything yet. */
  readonly isPending: boolean
}

/** What is said of an Infra: its conditions from those of its components, those just written as they were written. */
export function infraStatus(
  caches: Caches,
  live: OwnObject,
  judged: Pick<InfraObservation, 'problems' | 'warnings' | 'spec'>,
  { attachments, bound }: GatheredClusters,
  written: readonly KubeObject[],
): InfraStatus {
  const { generation = 0 } = live.metadata
  const own = bound.find(({ claim }) => claim.attachment === undefined)
  const parts = infraStatements({
    generation,
    ...judged,
    ...childrenOf(caches, live, written),
    ownCluster: own && { findings: own.findings, appsStatus: own.claim.appsStatus },
  })
  const ready = summary('Ready', parts, { reason: 'Ready', message: '', observedGeneration: generation })
  const isTrue = (type: string): boolean => parts.some((part) => part.type === type && part.status === 'True')
  const componentStatus = {
    dhcpReady: isTrue('DHCPReady'),
    dnsReady: isTrue('DNSReady'),
    proxyReady: isTrue('ProxyReady'),
  }
  return {
    statements: [ready, ...parts],
    fields: { componentStatus, ...attachedStatus(judged.spec, attachments, own !== undefined) },
    isPending: parts.some(({ reason }) => reason === 'ComponentPending'),
  }
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
