import { type LabPlan, namespaceOf } from '../plan.ts'

/**
 * What the lab's Kubernetes looks like, decided before anything is made. Machines stand on the lab's pod network, as
 * the hosted control plane does; every node has a part of the pods' addresses and a leg, without an address, on the VLAN.
 */
export interface ClusterPlan {
  readonly lab: LabPlan
  readonly controlPlane: { readonly namespace: string; readonly address: string; readonly port: number }
  readonly nodes: readonly NodePlan[]
  readonly serviceCidr: string
  /** What a NetworkAttachmentDefinition for the VLAN names as its bridge. */
  readonly vlanBridge: string
}

export interface NodePlan {
  readonly name: string
  readonly namespace: string
  readonly address: string
  readonly podCidr: string
  /** The address that its pods have as their gateway. */
  readonly podGateway: string
  /** Parent of the control groups of all its pods. */
  readonly cgroup: string
}

export const nodeCounts = [1, 2] as const
export type NodeCount = (typeof nodeCounts)[number]

export function planCluster(lab: LabPlan, nodeCount: NodeCount): ClusterPlan {
  return {
    lab,
    controlPlane: { namespace: namespaceOf(lab, 'kube'), address: '10.128.0.30', port: 6443 },
    nodes: Array.from({ length: nodeCount }, (_, index) => planNode(lab, index + 1)),
    serviceCidr: '10.96.0.0/16',
    vlanBridge: 'br-vlan',
  }
}

function planNode(lab: LabPlan, number: number): NodePlan {
  const name = `node-${number}`
  return {
    name,
    namespace: namespaceOf(lab, name),
    address: `10.128.0.${30 + number}`,
    podCidr: `10.244.${number}.0/24`,
    podGateway: `10.244.${number}.1`,
    cgroup: `/${namespaceOf(lab, name)}`,
  }
}
