/** Which HostedCluster, by name. */
export interface HostedClusterRef {
  readonly name: string
  readonly namespace: string
}

/** An Infra or an attachment as far as it can say which HostedCluster it is for. */
interface ForHostedCluster {
  readonly metadata: {
    readonly namespace?: string | undefined
    readonly ownerReferences?: readonly { readonly apiVersion: string; readonly kind: string; readonly name: string }[]
  }
  readonly spec: {
    readonly hostedClusterRef?: HostedClusterRef | undefined
    readonly appsIngress?: { readonly hostedClusterRef?: HostedClusterRef | undefined } | undefined
  }
}

const hyperShiftGroup = /^hypershift\.openshift\.io\//

/**
 * The HostedCluster that an Infra's own fields (or an attachment) mean: the one it names, else the one whose
 * applications it publishes, else its owner; undefined if it stands alone. Names only: whether that HostedCluster is
 * there, and whether this namespace may use it, is another question.
 */
export function resolveHostedCluster({ metadata, spec }: ForHostedCluster): HostedClusterRef | undefined {
  const named = spec.hostedClusterRef ?? spec.appsIngress?.hostedClusterRef
  if (named) return { name: named.name, namespace: named.namespace }
  const owner = metadata.ownerReferences?.find(
    ({ apiVersion, kind }) => kind === 'HostedCluster' && hyperShiftGroup.test(apiVersion),
  )
  return owner && { name: owner.name, namespace: metadata.namespace ?? 'default' }
}

/** Where HyperShift puts the control plane of a HostedCluster. */
export function controlPlaneNamespaceOf({ name, namespace }: HostedClusterRef): string {
  return `${namespace}-${name.replaceAll('.', '-')}`
}
