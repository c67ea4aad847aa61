import type { Infra } from '../../api/infra.ts'
import type { InfraClusterAttachment } from '../../api/infraclusterattachment.ts'
import { controlPlaneNamespaceOf, type HostedClusterRef, resolveHostedCluster } from '../discover/reference.ts'
import { usualNamespace } from '../translate/binding.ts'

type AppsStatus = NonNullable<Infra['status']>['appsIngressStatus']
type Owners = NonNullable<Parameters<typeof resolveHostedCluster>[0]['metadata']['ownerReferences']>

/** What an Infra or an attachment asks for: one hosted cluster on the VLAN. */
export interface Claim {
  /** The attachment that makes it; undefined for the Infra's own fields. */
  readonly attachment: string | undefined
  readonly hostedCluster: HostedClusterRef | undefined
  /** The Infra was made for this HostedCluster, by its annotations. */
  readonly hasOwnInfra: boolean
  readonly dns: { readonly clusterName?: string | undefined; readonly baseDomain?: string | undefined } | undefined
  readonly controlPlaneNamespace: string
  readonly apiServerService: string
  readonly appsIngress: Infra['spec']['appsIngress']
  readonly appsStatus: AppsStatus
}

/** The parts of an object that are not its spec. */
export interface Surrounding {
  readonly ownerReferences?: Owners | undefined
  readonly appsStatus?: AppsStatus
}

/**
 * The clusters on the VLAN of an Infra: those that are attached to it, else the one of its own fields. These fields are
 * a person's to take out, but for an Infra that a HostedCluster has by its annotations: that cluster is served beside
 * the others, until it is attached as they are.
 */
export function claimsOnVlan(own: Claim, attached: readonly Claim[]): Claim[] {
  const isAttached = attached.some(
    ({ hostedCluster: ref }) =>
      ref?.name === own.hostedCluster?.name && ref?.namespace === own.hostedCluster?.namespace,
  )
  return own.hasOwnInfra && !isAttached ? [own, ...attached] : [...attached]
}

/** The Infra's own fields. */
export function claimOfInfra(infra: Infra, { ownerReferences, appsStatus }: Surrounding = {}): Claim {
  const { metadata, spec } = infra
  const { dns, proxy } = spec.infraComponents
  const owned = { namespace: metadata.namespace, ...(ownerReferences ? { ownerReferences } : {}) }
  const hostedCluster = resolveHostedCluster({ metadata: owned, spec })
  const owner = resolveHostedCluster({ metadata: owned, spec: {} })
  const usual = hostedCluster ? controlPlaneNamespaceOf(hostedCluster) : usualNamespace(metadata)
  return {
    attachment: undefined,
    hostedCluster,
    hasOwnInfra:
      owner !== undefined && owner.name === hostedCluster?.name && owner.namespace === hostedCluster.namespace,
    dns,
    controlPlaneNamespace: proxy?.controlPlaneNamespace ?? usual,
    apiServerService: proxy?.apiServerService ?? 'kube-apiserver',
    appsIngress: spec.appsIngress,
    appsStatus,
  }
}

export function claimOfAttachment(attachment: InfraClusterAttachment, { appsStatus }: Surrounding = {}): Claim {
  const { metadata, spec } = attachment
  const hostedCluster = { name: spec.hostedClusterRef.name, namespace: spec.hostedClusterRef.namespace }
  return {
    attachment: metadata.name,
    hostedCluster,
    hasOwnInfra: false,
    dns: spec.dns,
    controlPlaneNamespace: spec.controlPlaneNamespace ?? controlPlaneNamespaceOf(hostedCluster),
    apiServerService: spec.apiServerService,
    appsIngress: spec.appsIngress,
    appsStatus,
  }
}
