import { beforeAll, expect, it } from 'vitest'
import type { DHCPServer } from '../../src/api/dhcpserver.ts'
import { readyNodes } from '../../src/lab/kubernetes/readiness.ts'
import { until } from '../../src/lab/testing.ts'
import { componentPods, type Pod } from './pod-processes.ts'
import { describeInLongRun, useCluster } from './use-cluster.ts'
import { InstalledOperator } from './use-operator.ts'

/** Takes minutes, most of them spent waiting until Kubernetes gives a node up; `make test-e2e` asks for it. */

describeInLongRun('the operator when a node is lost', () => {
  const cluster = useCluster({ nodes: 2, namespaceVms: 2 })
  let operator: InstalledOperator

  const dhcpPod = async (): Promise<Pod | undefined> => (await componentPods(cluster(), 'dhcp'))[0]

  beforeAll(async () => {
    operator = await InstalledOperator.serving(cluster(), { values: { replicas: '2' } })
  })

  it('serves from the other node, with the leases known, and the lost one may come back', async () => {
    const booted = await cluster().bootMachines()
    expect(booted.filter(({ ok }) => !ok)).toEqual([])
    const lostName = (await dhcpPod())?.spec.nodeName ?? ''
    const lost = cluster().nodes.find(({ plan }) => plan.name === lostName)
    await lost?.powerOff()
    await operator.untilCondition('DHCPReady', 'False')
    await until(
      'a DHCP pod on the other node',
      async () => (await dhcpPod().then((pod) => pod && pod.spec.nodeName !== lostName)) || undefined,
      100_000,
    )
    await operator.untilReady(100)
    expect((await operator.get<DHCPServer>('dhcpservers/lab-dhcp')).status?.activeLeases).toBe(2)
    expect(await operator.resolve('api.lab.example.test')).toBe(cluster().plan.lab.vlan.proxy)
    await lost?.powerOn()
    await until('the node Ready again', async () => (await readyNodes(cluster())).includes(lostName) || undefined)
    await operator.untilReady()
    expect(await operator.resolve('api.lab.example.test')).toBe(cluster().plan.lab.vlan.proxy)
  }, 400_000)
})
