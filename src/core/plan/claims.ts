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

/** The Infra's own fields; they count only while nothing is attached to it. */
export function claimOfInfra(infra: Infra, { ownerReferences, appsStatus }: Surrounding = {}): Claim {
  const { metadata, spec } = infra
  const { dns, proxy } = spec.infraComponents
  const owned = { namespace: metadata.namespace, ...(ownerReferences ? { ownerReferences } : {}) }
  const hostedCluster = resolveHostedCluster({ metadata: owned, spec })
  const usual = hostedCluster ? controlPlaneNamespaceOf(hostedCluster) : usualNamespace(metadata)
  return {
    attachment: undefined,
    hostedCluster,
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
    dns: spec.dns,
    controlPlaneNamespace: spec.controlPlaneNamespace ?? controlPlaneNamespaceOf(hostedCluster),
    apiServerService: spec.apiServerService,
    appsIngress: spec.appsIngress,
    appsStatus,
  }
}
