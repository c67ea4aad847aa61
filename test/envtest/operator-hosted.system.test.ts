import { expect, test } from 'vitest'
import { oooi } from '../../src/cli/testing.ts'
import { describeWithControlPlane } from './availability.ts'
import { installKinds, installMultus } from './installed-kinds.ts'
import {
  type AnyObject,
  condition,
  infra,
  is,
  attachment as networkAttachment,
  until,
  worldOf,
} from './operator-world.ts'
import {
  controlPlaneObjects,
  hostedControlPlane,
  installHostedKinds,
  machine,
  publishedCluster,
  route,
} from './standins/hosted-kinds.ts'
import { useOwnControlPlane } from './use.ts'
import { useOperator } from './use-operator.ts'

const apiVersion = 'hostedcluster.densityops.com/v1alpha1'

describeWithControlPlane('hosted clusters on a VLAN', () => {
  const plane = useOwnControlPlane({ controllerManager: true, prepare: [installKinds, installMultus] })
  useOperator(plane)
  const world = () => worldOf(plane())

  /** An Infra that says nothing of a cluster itself. */
  function vlan(namespace: string, spec: object = {}, proxy: object = {}): AnyObject {
    const bare = infra(namespace, 'vlan')
    const { dhcp, dns } = bare.spec.infraComponents
    const infraComponents = { dhcp, dns: { serverIP: dns.serverIP }, proxy: { serverIP: '192.168.100.10', ...proxy } }
    return { ...bare, spec: { ...bare.spec, infraComponents, ...spec } }
  }

  function attached(namespace: string, name: string, spec: object = {}): AnyObject {
    const metadata = { name, namespace }
    const wanted = { infraRef: { name: 'vlan' }, hostedClusterRef: { name, namespace }, ...spec }
    return { apiVersion, kind: 'InfraClusterAttachment', metadata, spec: wanted }
  }

  const hostnames = (proxy: AnyObject): string[] =>
    proxy.spec.backends.map(
      ({ name, hostname, port }: { name: string; hostname: string; port: number }) => `${name} ${hostname}:${port}`,
    )

  test('without HyperShift it says so; then the names come from the HostedCluster, before its control plane is there', async () => {
    const namespace = await plane().newNamespace('clusters')
    await world().apply(networkAttachment(namespace), vlan(namespace, { hostedClusterRef: { name: 'foo', namespace } }))
    await world().eventually('infras', namespace, 'vlan', is('EndpointsDiscovered', 'False', 'HyperShiftMissing'))
    await installHostedKinds(plane())
    await world().eventually('infras', namespace, 'vlan', is('EndpointsDiscovered', 'False', 'HostedClusterMissing'))

    await world().apply(publishedCluster(namespace, 'foo'))
    await world().eventually('infras', namespace, 'vlan', is('EndpointsDiscovered', 'False', 'ControlPlanePending'))
    const dns = await world().eventually('dnsservers', namespace, 'vlan-dns')
    expect(dns.spec.staticEntries.map(({ hostname }: { hostname: string }) => hostname)).toEqual([
      'api.foo.example.com',
      'oauth.foo.example.com',
      'ignition.foo.example.com',
      'konnectivity.foo.example.com',
    ])
    const early = await world().eventually(
      'proxyservers',
      namespace,
      'vlan-proxy',
      is('Accepted', 'False', 'ControlPlanePending'),
    )
    expect(early.status.resolved.backends).toEqual([])

    await world().apply(...controlPlaneObjects(namespace, 'foo'))
    await world().eventually('infras', namespace, 'vlan', is('EndpointsDiscovered', 'True'))
    const proxy = await world().eventually(
      'proxyservers',
      namespace,
      'vlan-proxy',
      ({ status }) => status?.backendCount === 5,
    )
    expect(hostnames(proxy)).toEqual([
      'kube-apiserver api.foo.example.com:6443',
      'kube-apiserver-kubernetes-hostname kubernetes:6443',
      'oauth-openshift oauth.foo.example.com:443',
      'ignition-server ignition.foo.example.com:443',
      'konnectivity-server konnectivity.foo.example.com:443',
    ])
    const dhcp = await world().eventually(
      'dhcpservers',
      namespace,
      'vlan-dhcp',
      ({ spec }) => spec.clientPolicy === 'Known',
    )
    expect(dhcp.spec.clientOptions.domainName).toBe('foo.example.com')

    // A machine is known before it runs, by what Multus gave its pod.
    const target = `${namespace}-foo`
    const status = JSON.stringify([{ name: `${target}/vlan100`, interface: 'net1', mac: '02:00:00:00:00:77' }])
    const launcher = {
      name: 'virt-launcher-w1',
      namespace: target,
      labels: { 'kubevirt.io': 'virt-launcher' },
      annotations: { 'k8s.v1.cni.cncf.io/network-status': status },
      ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'w1', uid: 'x' }],
    }
    await world().apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: launcher,
      spec: { containers: [{ name: 'c', image: 'x' }] },
    })
    await world().eventually(
      'dhcpservers',
      namespace,
      'vlan-dhcp',
      ({ status: { resolved } }) => resolved?.clients?.length === 1,
    )
  })

  test('what HyperShift chooses itself is read from Routes, and an address elsewhere is said to be none', async () => {
    const namespace = await plane().newNamespace('clusters')
    const types = { APIServer: 'LoadBalancer', OAuthServer: 'Route', Konnectivity: 'Route', Ignition: 'Route' }
    const services = Object.entries(types).map(([service, type]) => ({ service, servicePublishingStrategy: { type } }))
    const status = { controlPlaneEndpoint: { host: '10.0.0.7', port: 6443 } }
    await world().apply(
      networkAttachment(namespace),
      { ...publishedCluster(namespace, 'foo', { services }), status },
      ...controlPlaneObjects(namespace, 'foo'),
      vlan(namespace, { hostedClusterRef: { name: 'foo', namespace } }),
    )
    // That there are Routes now may not be noticed yet.
    const waits = (object: AnyObject) =>
      condition(object, 'EndpointsDiscovered')?.message.includes('Route oauth is not there yet') === true
    const said = await world().eventually('infras', namespace, 'vlan', waits)
    expect(condition(said, 'EndpointsDiscovered')).toMatchObject({ reason: 'PublishedAddressUnreachable' })
    expect(condition(said, 'Ready')).toMatchObject({ status: 'False', reason: 'PublishedAddressUnreachable' })
    await world().apply(route(`${namespace}-foo`, 'oauth', 'oauth-foo.apps.mgmt.example.com'))
    const proxy = await world().eventually('proxyservers', namespace, 'vlan-proxy')
    expect(hostnames(proxy)).toContain('oauth-openshift oauth-foo.apps.mgmt.example.com:443')
  })

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
    await world().apply(lease(namespace, '192.168.100.101', '02:00:00:00:00:a1', `${namespace}-a`))
    // Known by its machine alone.
    await world().apply(lease(namespace, '192.168.100.102', '02:00:00:00:00:b2', undefined))
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

  test('what is served to machines stays until the control plane that leaves is gone', async () => {
    const namespace = await plane().newNamespace('clusters')
    const cluster = publishedCluster(namespace, 'foo')
    const kept = { ...cluster, metadata: { ...cluster.metadata, finalizers: ['hypershift.openshift.io/finalizer'] } }
    await world().apply(
      networkAttachment(namespace),
      kept,
      ...controlPlaneObjects(namespace, 'foo'),
      vlan(namespace, { hostedClusterRef: { name: 'foo', namespace } }),
    )
    await world().eventually('infras', namespace, 'vlan', ({ metadata }) => Boolean(metadata.finalizers?.length))
    await world().eventually('proxyservers', namespace, 'vlan-proxy')
    await plane().kubectl(['delete', 'hostedcluster', 'foo', '-n', namespace, '--wait=false'])
    await plane().kubectl(['delete', 'infra', 'vlan', '-n', namespace, '--wait=false'])
    await until('it is said why it waits', async () => {
      const events = (await world().list('events', namespace)) as unknown as { reason: string }[]
      return events.some(({ reason }) => reason === 'ControlPlaneLeaving')
    })
    for (const [plural, name] of [
      ['dhcpservers', 'vlan-dhcp'],
      ['proxyservers', 'vlan-proxy'],
    ] as const) {
      const child = await world().get(plural, namespace, name)
      expect(child && 'deletionTimestamp' in child.metadata).toBe(false)
    }
    const { metadata } = hostedControlPlane(namespace, 'foo')
    await plane().kubectl(['delete', 'hostedcontrolplane', 'foo', '-n', metadata.namespace ?? ''])
    await world().gone('infras', namespace, 'vlan')
    await world().gone('proxyservers', namespace, 'vlan-proxy')
    await plane().kubectl([
      'patch',
      'hostedcluster',
      'foo',
      '-n',
      namespace,
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":null}}',
    ])
  })

  test('an annotated HostedCluster becomes an Infra, or is attached to one; what people wrote is left alone', async () => {
    const namespace = await plane().newNamespace('clusters')
    const annotated = (name: string, annotations: Record<string, string>): AnyObject => {
      const cluster = publishedCluster(namespace, name)
      const prefixed = Object.entries(annotations).map(([key, value]) => [`hostedcluster.densityops.com/${key}`, value])
      return { ...cluster, metadata: { ...cluster.metadata, annotations: Object.fromEntries(prefixed) } }
    }
    const onVlan = { network: 'vlan100', cidr: '192.168.100.0/24', gateway: '192.168.100.1' }
    await world().apply(networkAttachment(namespace), annotated('a', onVlan), ...controlPlaneObjects(namespace, 'a'))
    const made = await world().eventually('infras', namespace, 'a', is('EndpointsDiscovered', 'True'))
    expect(made.metadata.ownerReferences).toMatchObject([
      { kind: 'HostedCluster', name: 'a', controller: true, blockOwnerDeletion: false },
    ])
    expect(made.spec.infraComponents.proxy.serverIP).toBe('192.168.100.4')
    await world().eventually('dhcpservers', namespace, 'a-dhcp')

    // The next on the same network goes round it; a gateway that moves leaves the servers where they are.
    await world().apply(annotated('b', onVlan))
    const next = await world().eventually('infras', namespace, 'b')
    expect(next.spec.infraComponents.dhcp.serverIP).toBe('192.168.100.5')
    await world().apply(annotated('a', { ...onVlan, gateway: '192.168.100.9' }))
    const changed = ({ spec }: AnyObject) => spec.networkConfig.gateway === '192.168.100.9'
    const kept = await world().eventually('infras', namespace, 'a', changed)
    expect(kept.spec.infraComponents).toMatchObject(made.spec.infraComponents)

    await world().apply(annotated('c', { infra: 'a' }), infra(namespace, 'd'), annotated('d', onVlan))
    const attachedTo = await world().eventually('infraclusterattachments', namespace, 'c')
    expect(attachedTo.spec).toMatchObject({ infraRef: { name: 'a' }, hostedClusterRef: { name: 'c', namespace } })
    await world().apply(annotated('e', { network: 'vlan100', cidr: 'all of it' }))
    const reasons = async () =>
      (
        (await world().list('events', namespace)) as unknown as {
          reason: string
          regarding: { kind: string; name: string }
        }[]
      )
        .filter(({ regarding }) => regarding.kind === 'HostedCluster')
        .map(({ reason, regarding }) => `${regarding.name} ${reason}`)
    await until('both are told', async () => {
      const said = await reasons()
      return said.includes('d ObjectNotOurs') && said.includes('e AnnotationInvalid')
    })
    expect((await world().get('infras', namespace, 'd'))?.metadata.ownerReferences).toBeUndefined()

    await world().apply(annotated('c', {}))
    await world().gone('infraclusterattachments', namespace, 'c')
    await world().apply(annotated('b', {}))
    await world().gone('infras', namespace, 'b')
    expect(await world().get('infras', namespace, 'd')).toBeDefined()
  })

  test('oooi doctor says what the operator would, and what stands in the way of a cluster without an Infra', async () => {
    const namespace = await plane().newNamespace('clusters')
    const { kubeconfigPath } = plane().admin
    const doctor = async (name: string) => {
      const reference = `${namespace}/${name}`
      const parameters = ['--kubeconfig', kubeconfigPath, '--hosted-cluster', reference, '-o', 'json']
      const { exitCode, stdout, stderr } = await oooi('doctor', ...parameters)
      expect(stderr).toBe('')
      const diagnoses: { subject: string; findings: { reason: string; isWarning: boolean }[] }[] = JSON.parse(stdout)
      const { subject, findings } = diagnoses[1] ?? {}
      const reasons = findings?.map(({ reason, isWarning }) => `${isWarning ? 'odd' : 'bad'} ${reason}`)
      return { exitCode, subject, reasons }
    }
    expect(await doctor('none')).toEqual({
      exitCode: 1,
      subject: `HostedCluster ${namespace}/none`,
      reasons: ['bad HostedClusterMissing'],
    })
    await world().apply(publishedCluster(namespace, 'foo', { dns: {} }))
    expect((await doctor('foo')).reasons).toEqual(['bad BaseDomainUnusable', 'odd InfraMissing'])

    const pool = {
      apiVersion: 'hypershift.openshift.io/v1beta1',
      kind: 'NodePool',
      metadata: { name: 'workers', namespace },
      spec: { clusterName: 'bar', platform: { kubevirt: { additionalNetworks: [{ name: `${namespace}/vlan100` }] } } },
    }
    const macvlan = JSON.stringify({ type: 'macvlan', capabilities: { ips: true }, ipam: { type: 'static' } })
    const wide = { podSelector: {}, ingress: [{}] }
    await world().apply(
      networkAttachment(namespace, macvlan),
      publishedCluster(namespace, 'bar'),
      ...controlPlaneObjects(namespace, 'bar'),
      pool,
      vlan(namespace, { hostedClusterRef: { name: 'bar', namespace } }),
      { ...infra(namespace, 'rival'), spec: { ...infra(namespace, 'rival').spec } },
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'allow-infrastructure', namespace: `${namespace}-bar` },
        spec: wide,
      },
    )
    const warned = ({ status }: AnyObject) => JSON.stringify(status ?? {}).includes('allow-infrastructure')
    await world().eventually('infras', namespace, 'vlan', warned)
    const { exitCode, subject, reasons } = await doctor('bar')
    expect([exitCode, subject]).toEqual([1, `Infra ${namespace}/vlan`])
    expect([...new Set(reasons)].toSorted()).toEqual([
      // The pods use a definition with IPAM, and so must the machines not.
      'bad NetworkAttachmentUnusable',
      'odd AddressConflict',
      'odd NetworkAttachmentUnusual',
      'odd NodePoolOnPodNetwork',
      'odd PolicyTooWide',
    ])
    const { stdout } = await oooi('doctor', '--kubeconfig', kubeconfigPath, '--hosted-cluster', `${namespace}/bar`)
    expect(stdout).toContain('BAD  NetworkAttachmentUnusable: NetworkAttachmentDefinition')
    expect(stdout).toContain('the cluster: all well')

    const nobody = await plane().addUser('nobody')
    const refused = await oooi('doctor', '--kubeconfig', nobody.kubeconfigPath)
    expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('may not list') })
  })

  function lease(namespace: string, address: string, mac: string, cluster: string | undefined): AnyObject {
    const times = { start: '2026-01-31T12:00:00Z', expires: '2036-01-31T13:00:00Z' }
    return {
      apiVersion,
      kind: 'DHCPLease',
      metadata: { name: `vlan-dhcp-${address.replaceAll('.', '-')}`, namespace },
      spec: {
        server: 'vlan-dhcp',
        address,
        mac,
        ...(cluster ? { cluster } : {}),
        state: 'Active',
        sequence: 1,
        ...times,
      },
    }
  }
})
