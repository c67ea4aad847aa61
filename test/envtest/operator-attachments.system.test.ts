import { expect, test } from 'vitest'
import { describeWithControlPlane } from './availability.ts'
import { attached, hostnames, vlan } from './hosted-world.ts'
import { installKinds, installMultus } from './installed-kinds.ts'
import { type AnyObject, condition, is, lease, attachment as networkAttachment, worldOf } from './operator-world.ts'
import { controlPlaneObjects, installHostedKinds, machine, publishedCluster } from './standins/hosted-kinds.ts'
import { useOwnControlPlane } from './use.ts'
import { useOperator } from './use-operator.ts'

describeWithControlPlane('several hosted clusters on a VLAN', () => {
  const plane = useOwnControlPlane({ prepare: [installKinds, installMultus, installHostedKinds] })
  useOperator(plane)
  const world = () => worldOf(plane())

  test('two clusters on one VLAN: the first keeps what it has, each machine is led to its own', async () => {
    const namespace = await plane().newNamespace('clusters')
    const single = vlan(namespace, { hostedClusterRef: { name: 'a', namespace } })
    await world().apply(
      networkAttachment(namespace),
      publishedCluster(namespace, 'a'),
      publishedCluster(namespace, 'b'),
      ...controlPlaneObjects(namespace, 'a', '10.9.9.1'),
      ...controlPlaneObjects(namespace, 'b', '10.9.9.2'),
      single,
    )
    await world().eventually('infras', namespace, 'vlan', is('EndpointsDiscovered', 'True'))
    const specs = async () => {
      const children = [
        ['dhcpservers', 'vlan-dhcp'],
        ['dnsservers', 'vlan-dns'],
        ['proxyservers', 'vlan-proxy'],
      ] as const
      return Promise.all(children.map(async ([plural, name]) => (await world().get(plural, namespace, name))?.spec))
    }
    await world().eventually('proxyservers', namespace, 'vlan-proxy', ({ status }) => status?.backendCount === 5)
    const before = await specs()

    await world().apply(attached(namespace, 'a'))
    await world().eventually('infraclusterattachments', namespace, 'a', is('EndpointsDiscovered', 'True'))
    const moved = await world().eventually(
      'infras',
      namespace,
      'vlan',
      ({ status }) => status?.attachments?.total === 1,
    )
    expect(moved.status.attachments).toEqual({ total: 1, ready: 0, legacyFieldsIgnored: true })
    expect(await specs()).toEqual(before)

    await world().apply(attached(namespace, 'b'), machine(`${namespace}-b`, 'w2', '02:00:00:00:00:b2'))
    const shared = await world().eventually(
      'proxyservers',
      namespace,
      'vlan-proxy',
      ({ status }) => status?.backendCount === 10,
    )
    expect(hostnames(shared).filter((line) => line.includes('kube-apiserver '))).toEqual([
      'kube-apiserver api.a.example.com:6443',
      'b-kube-apiserver api.b.example.com:6443',
    ])
    await world().apply(
      lease(namespace, 'vlan-dhcp', '192.168.100.101', { mac: '02:00:00:00:00:a1', cluster: `${namespace}-a` }),
    )
    // Known by its machine alone.
    await world().apply(lease(namespace, 'vlan-dhcp', '192.168.100.102', { mac: '02:00:00:00:00:b2' }))
    const clients = ({ status }: AnyObject) =>
      Object.fromEntries(
        status.resolved.backends.flatMap((one: { name: string; clients?: string[] }) =>
          one.clients ? [[one.name, one.clients]] : [],
        ),
      )
    const wanted = {
      'kube-apiserver-kubernetes-hostname': ['192.168.100.101'],
      'b-kube-apiserver-kubernetes-hostname': ['192.168.100.102'],
    }
    await world().eventually(
      'proxyservers',
      namespace,
      'vlan-proxy',
      (proxy) => JSON.stringify(clients(proxy)) === JSON.stringify(wanted),
    )
    const dns = await world().get('dnsservers', namespace, 'vlan-dns')
    expect(dns?.spec).toMatchObject({ hostedClusterDomain: 'a.example.com', additionalDomains: ['b.example.com'] })
    const status = (
      await world().eventually('infraclusterattachments', namespace, 'b', ({ status: said }) => Boolean(said?.domain))
    ).status
    expect(status).toMatchObject({ domain: 'b.example.com', controlPlaneNamespace: `${namespace}-b` })

    // A third that wants the names of the second: said to both and to the Infra, and nothing that works stops.
    const rival = { hostedClusterRef: { name: 'b', namespace } }
    await world().apply(attached(namespace, 'c', rival))
    for (const name of ['b', 'c']) {
      await world().eventually(
        'infraclusterattachments',
        namespace,
        name,
        is('Accepted', 'False', 'DuplicateHostedCluster'),
      )
    }
    await world().eventually('infras', namespace, 'vlan', is('Ready', 'False', 'DuplicateHostedCluster'))
    expect((await world().get('proxyservers', namespace, 'vlan-proxy'))?.spec).toEqual(shared.spec)
    await world().remove('infraclusterattachments', namespace, 'c')
    await world().eventually('infraclusterattachments', namespace, 'b', is('Accepted', 'True'))

    await world().remove('infraclusterattachments', namespace, 'a')
    const left = await world().eventually(
      'proxyservers',
      namespace,
      'vlan-proxy',
      ({ spec }) => spec.backends.length === 5,
    )
    expect(hostnames(left)[0]).toBe('b-kube-apiserver api.b.example.com:6443')
    // The Infra still names the first, and says that this is in vain.
    const saysSo = (infra: AnyObject) => condition(infra, 'Accepted')?.message.includes(`HostedCluster ${namespace}/a`)
    await world().eventually('infras', namespace, 'vlan', (infra) => saysSo(infra) === true)
  })

  test('another namespace’s cluster is attached only when both its namespaces agree', async () => {
    const [namespace, victim] = [await plane().newNamespace('tenant'), await plane().newNamespace('victim')]
    await world().apply(
      networkAttachment(namespace),
      publishedCluster(victim, 'foo'),
      ...controlPlaneObjects(victim, 'foo'),
      vlan(namespace),
      attached(namespace, 'foo', { hostedClusterRef: { name: 'foo', namespace: victim } }),
    )
    const refused = is('Accepted', 'False', 'TargetNotPermitted')
    const object = await world().eventually('infraclusterattachments', namespace, 'foo', refused)
    expect(object.status.domain).toBeUndefined()
    const told = await world().eventually('infras', namespace, 'vlan', refused)
    expect(condition(told, 'Ready')?.message).toContain('attachment foo, spec.hostedClusterRef.namespace: ')
    const permit = (name: string) =>
      plane().kubectl(['annotate', 'namespace', name, `hostedcluster.densityops.com/allow-infra-from=${namespace}`])
    await permit(victim)
    await world().eventually(
      'infraclusterattachments',
      namespace,
      'foo',
      (one) => condition(one, 'Accepted')?.message.includes(`namespace ${victim}-foo`) === true,
    )
    expect(await world().list('proxyservers', namespace)).toEqual([])
    await permit(`${victim}-foo`)
    await world().eventually('infraclusterattachments', namespace, 'foo', is('Accepted', 'True'))
    await world().eventually('proxyservers', namespace, 'vlan-proxy', ({ status }) => status?.backendCount === 5)
    await plane().kubectl(['annotate', 'namespace', `${victim}-foo`, 'hostedcluster.densityops.com/allow-infra-from-'])
    await world().eventually('proxyservers', namespace, 'vlan-proxy', ({ status }) => status?.backendCount === 0)
  })

  test('Services for users outside, for the Infra and for a cluster, as long as they are wanted', async () => {
    const namespace = await plane().newNamespace('clusters')
    const externalService = { enabled: true, addressPoolName: 'public', publishAttachmentOAuths: true }
    const { publishAttachmentOAuths: _, ...own } = externalService
    await world().apply(
      networkAttachment(namespace),
      publishedCluster(namespace, 'a'),
      ...controlPlaneObjects(namespace, 'a'),
      vlan(namespace, {}, { externalService }),
      attached(namespace, 'a', { externalService: { ...own, annotations: { team: 'blue' } } }),
    )
    const service = await world().eventually('services', namespace, 'vlan-proxy-external')
    expect(service.metadata.annotations).toMatchObject({
      'external-dns.alpha.kubernetes.io/hostname': 'oauth.a.example.com',
      'metallb.io/address-pool': 'public',
    })
    expect(service.spec).toMatchObject({ type: 'LoadBalancer', ports: [{ port: 443, targetPort: 443 }] })
    const ofCluster = await world().eventually('services', namespace, 'vlan-proxy-external-a')
    expect(ofCluster.metadata.annotations).toMatchObject({ team: 'blue' })
    await world().apply(vlan(namespace, {}, { externalService: { enabled: false } }), attached(namespace, 'a'))
    await world().gone('services', namespace, 'vlan-proxy-external')
    await world().gone('services', namespace, 'vlan-proxy-external-a')
  })
})
