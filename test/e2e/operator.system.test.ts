import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { run } from '../../src/lab/host/command.ts'
import { labInfra } from '../../src/lab/infra.ts'
import { images } from '../../src/lab/kubernetes/images.ts'
import { until } from '../../src/lab/testing.ts'
import { locateHelm } from '../../tools/helm/helm.ts'
import { restrictedNamespace, vlanAttachment } from './cluster-objects.ts'
import { describeWithCluster, useCluster } from './use-cluster.ts'

/** Journey 1 without a HostedCluster: the chart installed by real Helm, one Infra written, and a machine boots. */

const chart = join(import.meta.dirname, '..', '..', 'charts', 'oooi')
const namespace = 'clusters'
const infraPath = `/apis/hostedcluster.densityops.com/v1alpha1/namespaces/${namespace}/infras/lab`

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

describeWithCluster('the operator on a real node', () => {
  const cluster = useCluster({ nodes: 1, namespaceVms: 2 })

  async function helm(...args: string[]): Promise<string> {
    const program = await locateHelm()
    if (program === undefined) throw new Error('no Helm in the cache: run "make setup" first')
    return run(program, [...args, '--namespace', 'oooi-system', '--kubeconfig', cluster().kubeconfigPath])
  }

  async function conditions(): Promise<readonly Condition[]> {
    const { body } = await cluster().request<{ status?: { conditions?: Condition[] } }>(infraPath)
    return body.status?.conditions ?? []
  }

  async function names(kind: string): Promise<string[]> {
    const told = await cluster().kubectl(['get', kind, '-n', namespace, '-o', 'name'])
    return told.split('\n').filter(Boolean)
  }

  beforeAll(async () => {
    const [repository = '', tag = ''] = images.oooi.split(/:(?=[^/]*$)/)
    const { lab, vlanBridge } = cluster().plan
    await cluster().apply([
      restrictedNamespace('oooi-system'),
      restrictedNamespace(namespace),
      vlanAttachment(namespace, vlanBridge),
    ])
    const image = `image.repository=${repository},image.tag=${tag}`
    await helm(
      'install',
      'oooi',
      chart,
      '--set',
      `${image},allowedTargetCIDRs={${lab.pods.cidr}}`,
      '--wait',
      '--timeout',
      '90s',
    )
    await cluster().startHostedControlPlane()
    const infra = labInfra(lab)
    const proxy = { ...infra.spec.infraComponents?.proxy, internalProxyService: undefined }
    await cluster().apply([
      {
        ...infra,
        metadata: { ...infra.metadata, namespace },
        spec: {
          ...infra.spec,
          networkConfig: { ...infra.spec.networkConfig, networkAttachmentDefinition: 'vlan100' },
          infraComponents: { ...infra.spec.infraComponents, proxy },
        },
      },
    ])
    await cluster().waitFor('infra/lab', 'condition=Ready', namespace, 120)
  })

  it('says that everything is ready, and that is what was observed', async () => {
    const states = Object.fromEntries((await conditions()).map(({ type, status }) => [type, status]))
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

  it('shows their leases as objects', async () => {
    await until('a lease per machine', async () => ((await names('dhcplease')).length === 2 ? true : undefined))
  })

  it('brings a killed pod back, and the leases with it', async () => {
    await cluster().kubectl(['delete', 'pod', '-n', namespace, '-l', 'app=dhcp-server', '--wait=true'])
    await cluster().waitFor('deployment/lab-dhcp', 'condition=Available', namespace)
    await cluster().waitFor('infra/lab', 'condition=Ready', namespace)
    const { body } = await cluster().request<{ status?: { activeLeases?: number } }>(
      infraPath.replace('infras/lab', 'dhcpservers/lab-dhcp'),
    )
    expect(body.status?.activeLeases).toBe(2)
  })

  it('removes a component that is switched off, and says what is wrong when its network goes', async () => {
    const patch = JSON.stringify({
      spec: { networkConfig: { networkAttachmentDefinition: 'gone' }, infraComponents: { dhcp: { enabled: false } } },
    })
    await cluster().kubectl(['patch', 'infra', 'lab', '-n', namespace, '--type=merge', '-p', patch])
    await until('DHCP to be gone', async () =>
      (await names('deployment')).includes('deployment.apps/lab-dhcp') ? undefined : true,
    )
    const ready = await until('the reason', async () =>
      (await conditions()).find(({ type, status }) => type === 'Ready' && status === 'False'),
    )
    expect(ready.message).toContain('gone')
  })

  it('leaves nothing behind when the Infra is deleted', async () => {
    await cluster().kubectl(['delete', 'infra', 'lab', '-n', namespace, '--wait=true'])
    await until('everything to be gone', async () => {
      const left = await Promise.all(
        ['deployment', 'service', 'dnsserver', 'proxyserver', 'role', 'rolebinding'].map(names),
      )
      return left.flat().length === 0 ? true : undefined
    })
  })
})
