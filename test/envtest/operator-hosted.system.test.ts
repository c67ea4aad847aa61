import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { oooi } from '../../src/cli/testing.ts'
import { describeWithControlPlane } from './availability.ts'
import { attached, hostnames, vlan } from './hosted-world.ts'
import { installKinds, installMultus, removeKinds } from './installed-kinds.ts'
import { type AnyObject, condition, infra, is, attachment as networkAttachment, worldOf } from './operator-world.ts'
import {
  controlPlaneObjects,
  hostedControlPlane,
  hostedKinds,
  installHostedKinds,
  publishedCluster,
  route,
} from './standins/hosted-kinds.ts'
import { useOwnControlPlane } from './use.ts'
import { useOperator } from './use-operator.ts'

describeWithControlPlane('hosted clusters on a VLAN', () => {
  const plane = useOwnControlPlane({ controllerManager: true, prepare: [installKinds, installMultus] })
  const operator = useOperator(plane)
  const world = () => worldOf(plane())

  test('without HyperShift it says so; then the names come from the HostedCluster, before its control plane is there', async () => {
    if (await removeKinds(plane(), ...hostedKinds)) await operator.restart()
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

  test.each([
    {
      plural: 'infras',
      name: 'vlan',
      how: 'background',
      objects: (namespace: string) => [vlan(namespace, { hostedClusterRef: { name: 'foo', namespace } })],
    },
    {
      plural: 'infras',
      name: 'vlan',
      how: 'foreground',
      objects: (namespace: string) => [vlan(namespace, { hostedClusterRef: { name: 'foo', namespace } })],
    },
    {
      plural: 'infraclusterattachments',
      name: 'foo',
      how: 'foreground',
      objects: (namespace: string) => [vlan(namespace), attached(namespace, 'foo')],
    },
  ])(
    'what is served to machines stays until the control plane that leaves is gone: $plural, $how',
    async ({ plural, name, how, objects }) => {
      const namespace = await plane().newNamespace('clusters')
      const cluster = publishedCluster(namespace, 'foo')
      const kept = { ...cluster, metadata: { ...cluster.metadata, finalizers: ['hypershift.openshift.io/finalizer'] } }
      await world().apply(
        networkAttachment(namespace),
        kept,
        ...controlPlaneObjects(namespace, 'foo'),
        ...objects(namespace),
      )
      const deleted = await world().eventually(plural, namespace, name, ({ metadata }) =>
        Boolean(metadata.finalizers?.length),
      )
      const leadsThere = (proxy: AnyObject) => hostnames(proxy).length > 0
      await world().eventually('proxyservers', namespace, 'vlan-proxy', leadsThere)
      // Goes when the garbage collector does its work, which takes its finalizer away afterwards.
      await world().apply(belonging(deleted))
      // As one deletes a folder of manifests: the HostedCluster goes a moment later.
      const both = [`${plural}/${name}`, 'hostedclusters/foo']
      await plane().kubectl(['delete', ...both, '-n', namespace, '--wait=false', `--cascade=${how}`])
      await world().told(namespace, 'ControlPlaneLeaving')
      const isCollected = ({ metadata }: AnyObject) => !metadata.finalizers?.includes('foregroundDeletion')
      await world().eventually(plural, namespace, name, isCollected)
      for (const [served, component] of [
        ['dhcpservers', 'vlan-dhcp'],
        ['proxyservers', 'vlan-proxy'],
      ] as const) {
        const child = await world().get(served, namespace, component)
        expect(child && 'deletionTimestamp' in child.metadata).toBe(false)
      }
      expect(leadsThere(await world().eventually('proxyservers', namespace, 'vlan-proxy'))).toBe(true)
      const { metadata } = hostedControlPlane(namespace, 'foo')
      await plane().kubectl(['delete', 'hostedcontrolplane', 'foo', '-n', metadata.namespace ?? ''])
      await world().gone(plural, namespace, name)
      for (const component of ['dhcp', 'dns', 'proxy'] as const) {
        if (plural === 'infras') await world().gone(`${component}servers`, namespace, `vlan-${component}`)
      }
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
    },
  )

  test('components stay where their Infra is deleted without them', async () => {
    const namespace = await plane().newNamespace('clusters')
    await world().apply(
      networkAttachment(namespace),
      publishedCluster(namespace, 'foo'),
      vlan(namespace, { hostedClusterRef: { name: 'foo', namespace } }),
    )
    const components = ['dhcp', 'dns', 'proxy'] as const
    for (const component of components) await world().eventually(`${component}servers`, namespace, `vlan-${component}`)
    await plane().kubectl(['delete', 'infra', 'vlan', '-n', namespace, '--cascade=orphan'])
    for (const component of components) {
      const { metadata } = await world().eventually(`${component}servers`, namespace, `vlan-${component}`)
      expect(metadata).not.toHaveProperty('deletionTimestamp')
      expect(metadata.ownerReferences).toMatchObject([{ kind: 'Namespace', name: namespace }])
    }
  })

  test('an annotated HostedCluster becomes an Infra, or is attached to one; what people wrote is left alone', async () => {
    const namespace = await plane().newNamespace('clusters')
    const annotated = (name: string, annotations: Record<string, string>): AnyObject => {
      const cluster = publishedCluster(namespace, name)
      const prefixed = Object.entries(annotations).map(([key, value]) => [`hostedcluster.densityops.com/${key}`, value])
      return { ...cluster, metadata: { ...cluster.metadata, annotations: Object.fromEntries(prefixed) } }
    }
    const onVlan = { network: 'vlan100', cidr: '192.168.100.0/24', gateway: '192.168.100.1' }
    const elsewhere = { ...onVlan, network: 'vlan101' }
    await world().apply(networkAttachment(namespace), annotated('a', onVlan), ...controlPlaneObjects(namespace, 'a'))
    const made = await world().eventually('infras', namespace, 'a', is('EndpointsDiscovered', 'True'))
    expect(made.metadata.ownerReferences).toMatchObject([
      { kind: 'HostedCluster', name: 'a', controller: true, blockOwnerDeletion: false },
    ])
    expect(made.spec.infraComponents.proxy.serverIP).toBe('192.168.100.4')
    await world().eventually('dhcpservers', namespace, 'a-dhcp')

    // The next on the same network lends other addresses, and goes round those that are taken; a gateway that moves leaves the servers where they are.
    await world().apply(annotated('b', onVlan))
    await world().told(namespace, 'AnnotationInvalid', { kind: 'HostedCluster', name: 'b' })
    await world().apply(annotated('b', { ...onVlan, 'dhcp-range': '192.168.100.50-192.168.100.99' }))
    const next = await world().eventually('infras', namespace, 'b')
    expect(next.spec.infraComponents.dhcp.serverIP).toBe('192.168.100.5')
    await world().apply(annotated('a', { ...onVlan, gateway: '192.168.100.9' }))
    const changed = ({ spec }: AnyObject) => spec.networkConfig.gateway === '192.168.100.9'
    const kept = await world().eventually('infras', namespace, 'a', changed)
    expect(kept.spec.infraComponents).toMatchObject(made.spec.infraComponents)

    await world().apply(annotated('c', { infra: 'a' }), infra(namespace, 'd'), annotated('d', elsewhere))
    const attachedTo = await world().eventually('infraclusterattachments', namespace, 'c')
    expect(attachedTo.spec).toMatchObject({ infraRef: { name: 'a' }, hostedClusterRef: { name: 'c', namespace } })
    // The cluster that the Infra was made for is served beside it.
    const served = (proxy: AnyObject) => hostnames(proxy).some((name) => name.startsWith('c-kube-apiserver '))
    const shared = await world().eventually('proxyservers', namespace, 'a-proxy', served)
    expect(hostnames(shared)[0]).toBe('kube-apiserver api.a.example.com:6443')
    await world().eventually('infras', namespace, 'a', is('EndpointsDiscovered', 'True'))
    const counted = ({ status }: AnyObject) => status.attachments?.total === 1
    const { status } = await world().eventually('infras', namespace, 'a', counted)
    expect(status.attachments.legacyFieldsIgnored).toBe(false)
    await world().apply(annotated('e', { network: 'vlan100', cidr: 'all of it' }))
    await world().told(namespace, 'ObjectNotOurs', { kind: 'HostedCluster', name: 'd' })
    await world().told(namespace, 'AnnotationInvalid', { kind: 'HostedCluster', name: 'e' })
    expect((await world().get('infras', namespace, 'd'))?.metadata.ownerReferences).toBeUndefined()

    await world().apply(annotated('c', {}))
    await world().gone('infraclusterattachments', namespace, 'c')
    await world().eventually('proxyservers', namespace, 'a-proxy', (proxy) => !served(proxy))
    await world().apply(annotated('b', {}))
    await world().gone('infras', namespace, 'b')
    expect(await world().get('infras', namespace, 'd')).toBeDefined()
  })

  test('the manifests of the tutorial lead to an Infra with which nothing is wrong but that no pod runs here', async () => {
    const tutorial = await readFile('docs/tutorial/hosted-cluster.md', 'utf8')
    const doctor = async () => {
      const where = ['--kubeconfig', plane().admin.kubeconfigPath, '--hosted-cluster', 'clusters/foo']
      return (await oooi('doctor', ...where)).stdout.split('\n').filter((line) => /^ {2}(BAD|odd) /.test(line))
    }
    for (const [, manifest = ''] of tutorial.matchAll(/^```yaml\n([\s\S]*?)^```/gm)) {
      await plane().kubectl(['apply', '-f', '-'], { input: manifest })
    }
    const [missing = '', ...more] = await doctor()
    expect(more).toEqual([])
    expect(tutorial).toContain(missing)
    // As they stand there.
    for (const [, line = ''] of tutorial.matchAll(/^kubectl (annotate [\s\S]*?[^\\])\n/gm)) {
      await plane().kubectl(line.replaceAll('\\\n', ' ').split(/\s+/))
    }
    await world().apply(...controlPlaneObjects('clusters', 'foo'))
    await world().eventually('infras', 'clusters', 'foo', is('EndpointsDiscovered', 'True'))
    const { spec } = await world().eventually('infras', 'clusters', 'foo', ({ spec: wanted }) =>
      Boolean(wanted.appsIngress),
    )
    expect(spec.appsIngress.metallb.addressPoolName).toBe('vlan100-apps')
    expect(await doctor()).toEqual([expect.stringContaining('BAD  ComponentPending')])
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
    const misread = publishedCluster(namespace, 'misread')
    const annotations = {
      'hostedcluster.densityops.com/network': 'vlan100',
      'hostedcluster.densityops.com/cidr': '192.168.100.0/33',
    }
    await world().apply({ ...misread, metadata: { ...misread.metadata, annotations } })
    expect((await doctor('misread')).reasons).toEqual(['bad AnnotationInvalid'])
    const everything = await oooi('doctor', '--kubeconfig', kubeconfigPath)
    expect(everything.stdout).toContain(`HostedCluster ${namespace}/misread:`)

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
})

/** Something that the garbage collector deletes with its owner, and in the foreground before it. */
function belonging({ apiVersion, kind, metadata: { name, namespace = '', uid = '' } }: AnyObject): AnyObject {
  const ownerReferences = [{ apiVersion, kind, name, uid, blockOwnerDeletion: true }]
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-belonging`, namespace, ownerReferences } }
}
