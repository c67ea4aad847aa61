import { at, listOf, textOf } from './hostedcluster.ts'

/** A NodePool as far as the networks of its machines go. */
export interface NodePool {
  readonly name: string
  readonly namespace: string
  readonly clusterName: string | undefined
  /** `<namespace>/<name>` of NetworkAttachmentDefinitions. */
  readonly networks: readonly string[]
  readonly isOnPodNetwork: boolean
}

export function readNodePool(object: unknown): NodePool {
  const platform = at(object, 'spec.platform.kubevirt')
  return {
    name: textOf(at(object, 'metadata.name')) ?? '',
    namespace: textOf(at(object, 'metadata.namespace')) ?? '',
    clusterName: textOf(at(object, 'spec.clusterName')),
    networks: listOf(at(platform, 'additionalNetworks')).flatMap((entry) => textOf(at(entry, 'name')) ?? []),
    isOnPodNetwork: at(platform, 'attachDefaultNetwork') !== false,
  }
}
