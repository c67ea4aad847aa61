import { beforeAll, expect, it } from 'vitest'
import { infraSchema } from '../../src/api/infra.ts'
import { translate } from '../../src/core/translate/translate.ts'
import { run } from '../../src/lab/host/command.ts'
import { labInfra } from '../../src/lab/infra.ts'
import { restrictedNamespace, vlanAttachment } from '../../src/lab/kubernetes/operator.ts'
import { readyNodes } from '../../src/lab/kubernetes/readiness.ts'
import { inNamespace } from '../../src/lab/network/build.ts'
import { namespaceOf } from '../../src/lab/plan.ts'
import { until } from '../../src/lab/testing.ts'
import { claim, dnsService, engineObjects, shellPod } from './cluster-objects.ts'
import { describeWithCluster, useCluster } from './use-cluster.ts'

const namespace = 'vlan-services'

interface Pod {
  readonly metadata: {
    readonly name: string
    readonly annotations: Readonly<Record<string, string>>
    readonly deletionTimestamp?: string
  }
  readonly spec: { readonly nodeName: string }
}

describeWithCluster('oooi in a pod of a real node', () => {
  const cluster = useCluster({ nodes: 2, namespaceVms: 2, qemu: true })

  /** As a machine that has asked before: it knows the MAC of an earlier pod until the new one announces itself. */
  const onVlan = async (name: string): Promise<string | undefined> => {
    const dig = ['dig', '+short', '+time=1', '+tries=1', `@${cluster().plan.lab.vlan.dns}`, name]
    const [command = '', ...args] = inNamespace(namespaceOf(cluster().plan.lab, 'vlan'), dig)
    return run(command, args).then(
      (text) => text.trim() || undefined,
      () => undefined,
    )
  }
  const answersOnVlan = (): Promise<string> => until('an answer on the VLAN', () => onVlan('api.lab.example.test'))
  const dnsPods = async (): Promise<Pod[]> => {
    const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=app%3Ddns`
    const { items } = (await cluster().request<{ items: Pod[] }>(path)).body
    return items.filter((pod) => !pod.metadata.deletionTimestamp)
  }
  const dnsPod = async (): Promise<Pod> => {
    const [pod] = await dnsPods()
    if (!pod) throw new Error('there is no DNS pod')
    return pod
  }

  beforeAll(async () => {
    const { lab, vlanBridge } = cluster().plan
    const components = translate(infraSchema.parse(labInfra(lab)))
    if (!components.ok) throw new Error(JSON.stringify(components.problems))
    const { dhcp = {}, dns = {}, proxy = {} } = components.value
    await cluster().apply([
      restrictedNamespace(namespace),
      vlanAttachment(namespace, vlanBridge),
      ...engineObjects(namespace, { name: 'dhcp', address: lab.vlan.dhcp, manifest: dhcp }),
      ...engineObjects(namespace, { name: 'dns', address: lab.vlan.dns, manifest: dns }),
      ...engineObjects(namespace, { name: 'proxy', address: lab.vlan.proxy, manifest: proxy }),
      dnsService(namespace),
      claim(namespace, 'data'),
      shellPod(namespace, 'shell', { claim: 'data' }),
    ])
    await cluster().startHostedControlPlane()
    await cluster().waitFor('deployment', 'condition=Available', namespace)
    await cluster().waitFor('pod/shell', 'condition=Ready', namespace)
  })

  it('boots machines on the VLAN: DHCP, DNS and proxy from three pods', async () => {
    const reports = await cluster().bootMachines()
    // With the one that has its own kernel where QEMU is installed.
    expect(reports.length).toBeGreaterThanOrEqual(2)
    expect(reports.flatMap(({ steps }) => steps.filter((step) => !step.ok))).toEqual([])
  })

  it('answers on the VLAN at the address that its annotation asks for', async () => {
    expect(await onVlan('api.lab.example.test')).toBe('192.168.100.4')
    const pod = await dnsPod()
    const status: unknown = JSON.parse(pod.metadata.annotations['k8s.v1.cni.cncf.io/network-status'] ?? '')
    expect(status).toMatchObject([
      { name: 'pods', interface: 'eth0', default: true },
      { name: `${namespace}/vlan100`, interface: 'net1', ips: [cluster().plan.lab.vlan.dns] },
    ])
  })

  it('answers pods through its Service, with the other view', async () => {
    const { spec } = (
      await cluster().request<{ spec: { clusterIP: string } }>(`/api/v1/namespaces/${namespace}/services/dns`)
    ).body
    expect(await cluster().exec(namespace, 'shell', ['nslookup', 'api.lab.example.test', spec.clusterIP])).toContain(
      '10.128.0.2',
    )
  })

  it('runs as an ordinary user, and its logs can be read', async () => {
    const script = "console.log(process.getuid(), require('fs').readFileSync('/proc/1/status', 'utf8'))"
    const told = await cluster().exec(namespace, 'deployment/dns', ['/usr/bin/node', '-e', script])
    expect(told).toMatch(/^65532 /)
    expect(told).toMatch(/^CapEff:\t0+$/m)
    expect(told).toMatch(/^NoNewPrivs:\t1$/m)
    expect(await cluster().logs(namespace, 'deployment/dns')).toContain('"msg":"serving"')
  })

  it('is held to Pod Security: a privileged pod is refused', async () => {
    const container = { name: 'x', image: cluster().images.busybox, securityContext: { privileged: true } }
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'bad', namespace },
      spec: { containers: [container] },
    }
    await expect(cluster().apply([pod])).rejects.toThrow('violates PodSecurity "restricted:latest"')
  })

  it('says on the pod which network attachment is missing', async () => {
    const annotations = { 'k8s.v1.cni.cncf.io/networks': 'no-such-network' }
    const pod = shellPod(namespace, 'nowhere')
    await cluster().apply([{ ...pod, metadata: { name: 'nowhere', namespace, annotations } }])
    const events = `/api/v1/namespaces/${namespace}/events?fieldSelector=involvedObject.name%3Dnowhere`
    await until('an event that names it', async () => {
      const { items } = (await cluster().request<{ items: { message: string }[] }>(events)).body
      const wanted = `network-attachment-definition ${namespace}/no-such-network not found`
      return items.some(({ message }) => message.includes(wanted)) || undefined
    })
    await cluster().kubectl(['delete', 'pod', '-n', namespace, 'nowhere', '--wait=false'])
  })

  it('keeps a volume when the pod goes to another node', async () => {
    await cluster().exec(namespace, 'shell', ['sh', '-c', 'echo kept > /data/file'])
    const [first, second] = cluster().nodes.map((node) => node.plan.name)
    const { spec } = (await cluster().request<Pod>(`/api/v1/namespaces/${namespace}/pods/shell`)).body
    await cluster().kubectl(['delete', 'pod', '-n', namespace, 'shell'])
    const other = shellPod(namespace, 'shell', { claim: 'data', node: spec.nodeName === first ? second : first })
    await cluster().apply([other])
    await cluster().waitFor('pod/shell', 'condition=Ready', namespace)
    expect(await cluster().exec(namespace, 'shell', ['cat', '/data/file'])).toBe('kept\n')
  })

  it('comes back when its process is killed, and when its pod is deleted', async () => {
    const before = await dnsPod()
    const node = cluster().nodes.find(({ plan }) => plan.name === before.spec.nodeName)
    const pids = await node?.run(['pgrep', '-f', '/opt/oooi/oooi.mjs dns'])
    await node?.run(['kill', '-KILL', (pids ?? '').trim()])
    await until('a restart', async () => {
      const { body } = await cluster().request<{ status: { containerStatuses: { restartCount: number }[] } }>(
        `/api/v1/namespaces/${namespace}/pods/${before.metadata.name}`,
      )
      return (body.status.containerStatuses[0]?.restartCount ?? 0) > 0 || undefined
    })
    await answersOnVlan()
    await cluster().kubectl(['delete', 'pod', '-n', namespace, before.metadata.name, '--wait=false'])
    await until('another pod', async () => (await dnsPods())[0])
    await cluster().waitFor('deployment/dns', 'condition=Available', namespace)
    expect(await answersOnVlan()).toBe('192.168.100.4')
    expect((await dnsPod()).metadata.name).not.toBe(before.metadata.name)
  })

  it('goes to the other node when its node loses power, and that node comes back', async () => {
    const lostName = (await dnsPod()).spec.nodeName
    const lost = cluster().nodes.find(({ plan }) => plan.name === lostName)
    await lost?.powerOff()
    expect(await onVlan('api.lab.example.test')).toBeUndefined()
    await until('a pod on the other node', async () => (await dnsPods()).find((pod) => pod.spec.nodeName !== lostName))
    expect(await answersOnVlan()).toBe('192.168.100.4')
    expect(await readyNodes(cluster())).not.toContain(lostName)
    await lost?.powerOn()
    await until('the node Ready again', async () => (await readyNodes(cluster())).includes(lostName) || undefined)
    expect(await onVlan('api.lab.example.test')).toBe('192.168.100.4')
  })

  it('serves on while the API server is stopped', async () => {
    await cluster().controlPlane.stop()
    await expect(cluster().request('/readyz', { timeoutMs: 1000 })).rejects.toThrow()
    expect(await onVlan('api.lab.example.test')).toBe('192.168.100.4')
    await cluster().controlPlane.start()
    expect((await cluster().request('/readyz')).status).toBe(200)
  })
})
