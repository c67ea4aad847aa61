import { beforeAll, expect, it } from 'vitest'
import { until } from '../../src/lab/testing.ts'
import { componentPods, envoyProcess, listeners, podProcess } from './pod-processes.ts'
import { describeWithCluster, useCluster } from './use-cluster.ts'
import { InstalledOperator, namespace } from './use-operator.ts'

/** Journey 1 without a HostedCluster: the chart installed by real Helm, one Infra written, and a machine boots. */

describeWithCluster('the operator on a real node', () => {
  const cluster = useCluster({ nodes: 1, namespaceVms: 2 })
  let operator: InstalledOperator

  beforeAll(async () => {
    operator = await InstalledOperator.serving(cluster())
  })

  it('says that everything is ready, and that is what was observed', async () => {
    const states = Object.fromEntries((await operator.conditions()).map(({ type, status }) => [type, status]))
    expect(states).toMatchObject({
      Accepted: 'True',
      DHCPReady: 'True',
      DNSReady: 'True',
      ProxyReady: 'True',
      Ready: 'True',
    })
  })

  it('boots machines on the VLAN through the pods it rendered', async () => {
    const reports = await cluster().bootMachines()
    expect(reports).toHaveLength(2)
    expect(reports.flatMap(({ steps }) => steps.filter((step) => !step.ok))).toEqual([])
  })

  it('proxies by Envoy, which may not ask the API server, and listens to nobody else', async () => {
    const [node] = cluster().nodes
    const [pod] = await componentPods(cluster(), 'proxy')
    if (!node || !pod) throw new Error('no pod')
    const oooi = await podProcess(node, 'proxy', pod.metadata.name)
    const envoy = await envoyProcess(node, pod.metadata.name)
    const token = '/root/var/run/secrets/kubernetes.io/serviceaccount/token'
    await node.run(['test', '-s', `/proc/${oooi.pid}${token}`])
    await expect(node.run(['test', '-e', `/proc/${envoy.pid}${token}`])).rejects.toThrow()
    const { podIP } = pod.status
    const places = (await listeners(node, oooi)).map((place) => place.replace(podIP, 'pod'))
    const { proxy } = cluster().plan.lab.vlan
    const others = places.filter((place) => !place.includes(`${proxy}:`) && !/pod:(80|443|6443)$/.test(place))
    expect(others.toSorted()).toEqual(['tcp 127.0.0.1:18000', 'tcp pod:8080', 'tcp pod:9902'])
  })

  it('shows their leases as objects', async () => {
    await until('a lease per machine', async () =>
      (await operator.names('dhcplease')).length === 2 ? true : undefined,
    )
  })

  it('says in the status how far their boot came', async () => {
    interface Traced {
      readonly status?: {
        readonly vms?: { readonly leased: number; readonly resolved: number; readonly connected: number }
      }
    }
    await until('both to be traced, through Envoy to the API server', async () => {
      const { leased, resolved, connected } = (await operator.get<Traced>('infras/lab')).status?.vms ?? {}
      return leased === 2 && resolved === 2 && connected === 2 ? true : undefined
    })
  })

  it('brings a killed pod back, and the leases with it', async () => {
    await cluster().kubectl(['delete', 'pod', '-n', namespace, '-l', 'app=dhcp-server', '--wait=true'])
    await cluster().waitFor('deployment/lab-dhcp', 'condition=Available', namespace)
    await cluster().waitFor('infra/lab', 'condition=Ready', namespace)
    const { status } = await operator.get<{ status?: { activeLeases?: number } }>('dhcpservers/lab-dhcp')
    expect(status?.activeLeases).toBe(2)
  })

  it('removes a component that is switched off, and says what is wrong when its network goes', async () => {
    const patch = JSON.stringify({
      spec: { networkConfig: { networkAttachmentDefinition: 'gone' }, infraComponents: { dhcp: { enabled: false } } },
    })
    await cluster().kubectl(['patch', 'infra', 'lab', '-n', namespace, '--type=merge', '-p', patch])
    await until('DHCP to be gone', async () =>
      (await operator.names('deployment')).includes('deployment.apps/lab-dhcp') ? undefined : true,
    )
    const ready = await operator.untilCondition('Ready', 'False')
    expect(ready.message).toContain('gone')
  })

  it('leaves nothing behind when the Infra is deleted', async () => {
    await cluster().kubectl(['delete', 'infra', 'lab', '-n', namespace, '--wait=true', '--ignore-not-found'])
    await until('everything to be gone', async () => {
      const left = await Promise.all(
        ['deployment', 'service', 'dnsserver', 'proxyserver', 'role', 'rolebinding'].map((kind) =>
          operator.names(kind),
        ),
      )
      return left.flat().length === 0 ? true : undefined
    })
  })
})
