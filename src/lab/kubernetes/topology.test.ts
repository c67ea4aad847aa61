import { describe, expect, it } from 'vitest'
import { namespacesOf } from '../network/shape.ts'
import { planLab } from '../plan.ts'
import { planCluster } from './plan.ts'
import { clusterTopology, forwardingNamespaces, nodeCommands } from './topology.ts'

describe('a cluster of two nodes', () => {
  const plan = planCluster(planLab('oooi-1', { namespaceVms: 1, qemuVms: 0 }), 2)

  it('has machines beside those of the lab, and no machine for oooi: it comes as pods', () => {
    expect(namespacesOf(clusterTopology(plan)).sort()).toEqual(
      ['apps', 'control', 'kube', 'node-1', 'node-2', 'pods', 'vlan', 'worker-1'].map((what) => `oooi-1-${what}`),
    )
  })

  it('gives every machine an address of its own', () => {
    const addresses = clusterTopology(plan).cables.flatMap((cable) => cable.addresses ?? [])
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  it('knows the way to the pods of every node, from the nodes and from the gateway', () => {
    const routes = nodeCommands(plan).map(({ namespace, lines }) => [
      namespace,
      lines.filter((line) => line.startsWith('route')),
    ])
    const [toFirst, toSecond] = ['route add 10.244.1.0/24 via 10.128.0.31', 'route add 10.244.2.0/24 via 10.128.0.32']
    expect(routes).toEqual([
      ['oooi-1-pods', [toFirst, toSecond]],
      ['oooi-1-node-1', [toSecond]],
      ['oooi-1-node-2', [toFirst]],
    ])
    expect(forwardingNamespaces(plan)).toEqual(['oooi-1-pods', 'oooi-1-node-1', 'oooi-1-node-2'])
  })

  it('leaves the VLAN to the pods: the nodes have no address on it', () => {
    const legs = clusterTopology(plan).cables.filter((cable) => cable.interface === 'vlan0')
    expect(legs.map((leg) => leg.addresses)).toEqual([undefined, undefined])
  })
})
