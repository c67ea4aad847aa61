import type { IpBatch, NetworkShape } from '../network/shape.ts'
import { labTopology } from '../network/topology.ts'
import { namespaceOf } from '../plan.ts'
import type { ClusterPlan } from './plan.ts'

/** The lab's networks with machines of a Kubernetes on them instead of oooi: oooi comes as pods. */
export function clusterTopology(plan: ClusterPlan): NetworkShape {
  const { lab, controlPlane, nodes } = plan
  const { bridges, cables } = labTopology(lab)
  const podBridge = namespaceOf(lab, 'pods')
  const machine = (namespace: string, address: string, port: string) => ({
    namespace,
    interface: 'eth0',
    bridge: podBridge,
    port,
    addresses: [`${address}/${lab.pods.prefixLength}`],
    defaultGateway: lab.pods.gateway,
  })
  return {
    bridges,
    cables: [
      ...cables.filter((cable) => cable.namespace !== namespaceOf(lab, 'oooi')),
      machine(controlPlane.namespace, controlPlane.address, 'kube'),
      ...nodes.map((node) => machine(node.namespace, node.address, node.name)),
      ...nodes.map((node) => ({
        namespace: node.namespace,
        interface: 'vlan0',
        bridge: namespaceOf(lab, 'vlan'),
        port: node.name,
      })),
    ],
  }
}

/**
 * What makes nodes of the machines: the bridge that pods' second interfaces hang on, and the ways to the pods of other
 * nodes. The gateway of the pod network knows them too, for those who have no route of their own.
 */
export function nodeCommands({ lab, nodes, vlanBridge }: ClusterPlan): IpBatch[] {
  const routeTo = (node: (typeof nodes)[number]): string => `route add ${node.podCidr} via ${node.address}`
  return [
    { namespace: namespaceOf(lab, 'pods'), lines: nodes.map(routeTo) },
    ...nodes.map((node) => ({
      namespace: node.namespace,
      lines: [
        `link add ${vlanBridge} type bridge forward_delay 0`,
        `link set ${vlanBridge} up`,
        `link set vlan0 master ${vlanBridge} up`,
        ...nodes.filter((other) => other !== node).map(routeTo),
      ],
    })),
  ]
}

/** Those who carry packets of others. */
export function forwardingNamespaces({ lab, nodes }: ClusterPlan): string[] {
  return [namespaceOf(lab, 'pods'), ...nodes.map((node) => node.namespace)]
}
