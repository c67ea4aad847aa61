import { describe, expect, it } from 'vitest'
import { namespaceOf, planLab } from '../plan.ts'
import { ipBatches, namespacesOf } from './shape.ts'
import { labTopology } from './topology.ts'

describe('the commands for a network', () => {
  it('make the namespaces and cables in the host, the rest inside', () => {
    const batches = ipBatches({
      bridges: [{ namespace: 'x-vlan', address: '192.0.2.1/24' }],
      cables: [
        { namespace: 'x-vm', interface: 'eth0', bridge: 'x-vlan', port: 'vm', mac: '02:00:00:00:00:01' },
        {
          namespace: 'x-server',
          interface: 'net1',
          bridge: 'x-vlan',
          port: 'server',
          addresses: ['192.0.2.2/24', '192.0.2.3/24'],
          defaultGateway: '192.0.2.1',
        },
      ],
    })
    expect(batches).toEqual([
      {
        lines: [
          'netns add x-vlan',
          'netns add x-vm',
          'netns add x-server',
          'link add name eth0 address 02:00:00:00:00:01 netns x-vm type veth peer name vm netns x-vlan',
          'link add name net1 netns x-server type veth peer name server netns x-vlan',
        ],
      },
      {
        namespace: 'x-vlan',
        lines: [
          'link add br0 type bridge forward_delay 0',
          'link set br0 up',
          'address add 192.0.2.1/24 dev br0',
          'link set vm master br0 up',
          'link set server master br0 up',
        ],
      },
      {
        namespace: 'x-server',
        lines: [
          'link set lo up',
          'link set net1 up',
          'address add 192.0.2.2/24 dev net1',
          'address add 192.0.2.3/24 dev net1',
          'route add default via 192.0.2.1',
        ],
      },
    ])
  })
})

describe("the lab's topology", () => {
  const plan = planLab('oooi-1a2b', { namespaceVms: 200, qemuVms: 8 })
  const shape = labTopology(plan)

  it('gives oooi the only way between the two networks', () => {
    const onBoth = namespacesOf(shape).filter((namespace) => {
      const bridges = shape.cables.filter((cable) => cable.namespace === namespace).map((cable) => cable.bridge)
      return new Set(bridges).size === 2
    })
    expect(onBoth).toEqual([namespaceOf(plan, 'oooi')])
  })

  it('needs no more processes for many machines than for few', () => {
    expect(ipBatches(shape).length).toBe(
      ipBatches(labTopology(planLab('oooi-1a2b', { namespaceVms: 1, qemuVms: 0 }))).length,
    )
  })

  it('has interface names the kernel accepts', () => {
    for (const cable of shape.cables)
      expect(Math.max(cable.port.length, cable.interface.length)).toBeLessThanOrEqual(15)
  })
})
