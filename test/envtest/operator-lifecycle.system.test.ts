import { expect, test } from 'vitest'
import { sleep, systemClock } from '../../src/runtime/time/clock.ts'
import { describeWithControlPlane } from './availability.ts'
import { installKinds, installMultus } from './installed-kinds.ts'
import { attachment, condition, endpointSlice, infra, is, until, worldOf } from './operator-world.ts'
import { useOwnControlPlane } from './use.ts'
import { useOperator } from './use-operator.ts'

describeWithControlPlane('the operator, from an Infra to pods and back', () => {
  const plane = useOwnControlPlane({ controllerManager: true, prepare: [installKinds, installMultus] })
  const operator = useOperator(plane)
  const world = () => worldOf(plane())
  const components = [
    ['dhcpservers', 'c1-dhcp'],
    ['dnsservers', 'c1-dns'],
    ['proxyservers', 'c1-proxy'],
  ] as const

  test('pods that do not run are never Ready; pods that serve are; then nothing is written any more', async () => {
    const namespace = await plane().newNamespace()
    const apiServer = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kube-apiserver', namespace },
      spec: { selector: { app: 'kube-apiserver' }, ports: [{ port: 6443, targetPort: 6443 }] },
    }
    await world().apply(attachment(namespace), apiServer, infra(namespace))
    for (const [plural, name] of components) {
      const object = await world().eventually(plural, namespace, name, is('Available', 'False', 'PodPending'))
      expect(condition(object, 'Ready')?.status).not.toBe('True')
    }
    const pending = await world().eventually('infras', namespace, 'c1', is('Ready', 'False'))
    expect(pending.status.componentStatus).toEqual({ dhcpReady: false, dnsReady: false, proxyReady: false })

    await world().bringUp(namespace, components)
    for (const [plural, name] of components.slice(0, 2))
      await world().eventually(plural, namespace, name, is('Ready', 'True'))
    // Nobody answers for the control plane yet.
    await world().eventually('proxyservers', namespace, 'c1-proxy', is('Ready', 'False', 'TargetUnresolved'))
    await world().apply(endpointSlice(namespace, 'kube-apiserver', { address: '10.1.2.3', port: 6443 }))
    const proxy = await world().eventually('proxyservers', namespace, 'c1-proxy', is('Ready', 'True'))
    expect(proxy.status.resolved.backends[0]).toMatchObject({
      name: 'kube-apiserver',
      endpoints: [{ address: '10.1.2.3', port: 6443 }],
      clusterIP: expect.stringMatching(/^10\./),
    })
    const dns = await world().eventually('dnsservers', namespace, 'c1-dns', is('Ready', 'True'))
    expect(dns.status.resolved.internalProxyIPs).toEqual([proxy.status.serviceIP])
    expect(dns.status.resolved.paths).toContainEqual({ hostname: 'api.c1.example.com', port: 6443 })
    const ready = await world().eventually('infras', namespace, 'c1', is('Ready', 'True'))
    expect(ready.status.componentStatus).toEqual({ dhcpReady: true, dnsReady: true, proxyReady: true })

    for (const kind of ['Infra', 'DHCPServer']) await world().told(namespace, 'Ready', { kind })
    await operator.settled()
    const before = [operator.reconciles(), operator.writes()]
    await sleep(systemClock, 2000)
    expect([operator.reconciles(), operator.writes()]).toEqual(before)
    expect((await world().get('infras', namespace, 'c1'))?.status).toEqual(ready.status)
  })

  test('a block of fields that becomes empty is given up', async () => {
    const namespace = await plane().newNamespace()
    await world().apply(infra(namespace, 'c1', { dhcp: { probe: { timeout: '1s' } } }))
    await world().eventually('dhcpservers', namespace, 'c1-dhcp', ({ spec }) => spec.probe?.timeout === '1s')
    const patch = JSON.stringify({ spec: { infraComponents: { dhcp: { probe: { timeout: null } } } } })
    await plane().kubectl(['patch', 'infra', 'c1', '--namespace', namespace, '--type=merge', '--patch', patch])
    await world().eventually('dhcpservers', namespace, 'c1-dhcp', ({ spec }) => spec.probe?.timeout !== '1s')
    await world().eventually('infras', namespace, 'c1', is('Accepted', 'True'))
  })

  test('what is switched off goes, what is changed reaches the pod, what is edited by hand is repaired', async () => {
    const namespace = await plane().newNamespace()
    await world().apply(attachment(namespace), infra(namespace))
    const networks = ({ spec }: { spec?: { template: { metadata: { annotations: Record<string, string> } } } }) =>
      JSON.parse(spec?.template.metadata.annotations['k8s.v1.cni.cncf.io/networks'] ?? '[]')
    const deployment = await world().eventually('deployments', namespace, 'c1-proxy')
    expect(networks(deployment)).toEqual([
      { name: 'vlan100', namespace, interface: 'net1', ips: ['192.168.100.10/23'] },
    ])

    await world().apply(infra(namespace, 'c1', { proxy: { serverIP: '192.168.101.20' } }))
    await world().eventually(
      'deployments',
      namespace,
      'c1-proxy',
      (object) => networks(object)[0]?.ips[0] === '192.168.101.20/23',
    )
    await world().eventually(
      'dnsservers',
      namespace,
      'c1-dns',
      ({ spec }) => spec.networkConfig.proxyIP === '192.168.101.20',
    )

    const image = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'evil:1' }]
    await plane().kubectl([
      'patch',
      'deployment',
      'c1-dns',
      '-n',
      namespace,
      '--type=json',
      '-p',
      JSON.stringify(image),
    ])
    await world().eventually(
      'deployments',
      namespace,
      'c1-dns',
      ({ spec }) => spec.template.spec.containers[0].image === 'oooi:test',
    )
    await world().remove('services', namespace, 'c1-dns')
    await world().eventually('services', namespace, 'c1-dns')
    const child = { spec: { hostedClusterDomain: 'evil.example.com' } }
    await plane().kubectl([
      'patch',
      'dnsserver',
      'c1-dns',
      '-n',
      namespace,
      '--type=merge',
      '-p',
      JSON.stringify(child),
    ])
    await world().eventually(
      'dnsservers',
      namespace,
      'c1-dns',
      ({ spec }) => spec.hostedClusterDomain === 'c1.example.com',
    )

    await world().apply(infra(namespace, 'c1', { dhcp: { enabled: false } }))
    await world().gone('dhcpservers', namespace, 'c1-dhcp')
    await world().gone('deployments', namespace, 'c1-dhcp')
    await world().eventually('infras', namespace, 'c1', (object) => condition(object, 'DHCPReady') === undefined)

    await world().remove('infras', namespace, 'c1')
    for (const plural of [
      'dnsservers',
      'proxyservers',
      'deployments',
      'services',
      'serviceaccounts',
      'roles',
      'rolebindings',
    ]) {
      await until(`${plural} are gone`, async () => {
        const left = await world().list(plural, namespace)
        return left.every(({ metadata }) => metadata.name === 'default')
      })
    }
  })

  test('an object of somebody else with a wanted name is left alone, and said so', async () => {
    const namespace = await plane().newNamespace()
    const stranger = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'c1-dns', namespace },
      spec: { ports: [{ port: 1 }], selector: { app: 'stranger' } },
    }
    await world().apply(attachment(namespace), stranger, infra(namespace))
    const dns = await world().eventually('dnsservers', namespace, 'c1-dns', is('Ready', 'False', 'ObjectNotOurs'))
    expect(condition(dns, 'Ready')?.message).toContain(`Service ${namespace}/c1-dns`)
    expect((await world().get('services', namespace, 'c1-dns'))?.spec.selector).toEqual({ app: 'stranger' })
    await world().eventually('infras', namespace, 'c1', is('DNSReady', 'False', 'ObjectNotOurs'))
    await world().remove('infras', namespace, 'c1')
    await world().gone('deployments', namespace, 'c1-dns')
    expect(await world().get('services', namespace, 'c1-dns')).toBeDefined()
  })

  test('Infras of one name in two namespaces do not touch each other', async () => {
    const [one, other] = [await plane().newNamespace(), await plane().newNamespace()]
    for (const namespace of [one, other]) await world().apply(attachment(namespace), infra(namespace))
    for (const namespace of [one, other]) await world().eventually('deployments', namespace, 'c1-dhcp')
    await sleep(systemClock, 500)
    const kept = await world().eventually('deployments', other, 'c1-dhcp')
    await world().remove('infras', one, 'c1')
    await world().gone('deployments', one, 'c1-dhcp')
    expect((await world().get('deployments', other, 'c1-dhcp'))?.metadata.uid).toBe(kept.metadata.uid)
  })

  test('what an earlier program made for the same component, and what cannot be changed, is replaced', async () => {
    const namespace = await plane().newNamespace()
    const server = (network: object) => ({
      apiVersion: 'hostedcluster.densityops.com/v1alpha1',
      kind: 'DNSServer',
      metadata: { name: 'old', namespace },
      spec: {
        networkConfig: { serverIP: '192.168.100.3', proxyIP: '192.168.100.10', ...network },
        hostedClusterDomain: 'c1.example.com',
      },
    })
    await world().apply(attachment(namespace), server({}))
    const { apiVersion, kind, metadata } = await world().eventually(
      'dnsservers',
      namespace,
      'old',
      is('Accepted', 'False', 'InvalidField'),
    )
    const { name, uid } = metadata
    const labels = { app: 'dns-server' }
    const container = { name: 'dns', image: 'quay.io/cldmnky/oooi:old' }
    const before = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace, ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    }
    await world().apply(before as never)
    await world().apply(server({ networkAttachmentName: 'vlan100' }))
    await world().eventually(
      'deployments',
      namespace,
      'old',
      ({ spec }) => spec.selector.matchLabels['hostedcluster.densityops.com'] === 'old',
    )
  })

  test('a volume of leases outlives its Infra, and the next one finds it again', async () => {
    const namespace = await plane().newNamespace()
    const server = {
      apiVersion: 'hostedcluster.densityops.com/v1alpha1',
      kind: 'DHCPServer',
      metadata: { name: 'alone', namespace },
      spec: {
        networkConfig: { cidr: '192.168.100.0/24', serverIP: '192.168.100.2', networkAttachmentName: 'vlan100' },
        leaseConfig: { rangeStart: '192.168.100.100', rangeEnd: '192.168.100.200' },
        leaseStorage: 'PersistentVolume',
      },
    }
    await world().apply(attachment(namespace), server)
    const claim = await world().eventually('persistentvolumeclaims', namespace, 'alone-dhcp-leases')
    await world().remove('dhcpservers', namespace, 'alone')
    await world().gone('deployments', namespace, 'alone')
    await world().apply(server)
    await world().eventually('deployments', namespace, 'alone')
    expect((await world().get('persistentvolumeclaims', namespace, 'alone-dhcp-leases'))?.metadata.uid).toBe(
      claim.metadata.uid,
    )
  })
})
