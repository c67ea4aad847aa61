import { expect, test } from 'vitest'
import { sleep, systemClock } from '../../src/runtime/time/clock.ts'
import { describeWithControlPlane } from './availability.ts'
import { installKinds, installMultus } from './installed-kinds.ts'
import { type AnyObject, attachment, condition, infra, is, until, worldOf } from './operator-world.ts'
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
    await world().apply({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'kas', namespace, labels: { 'kubernetes.io/service-name': 'kube-apiserver' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: true } }],
      ports: [{ port: 6443, protocol: 'TCP', name: '' }],
    } as never)
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

    await until('events', async () => {
      const reasons = (await world().list('events', namespace)) as unknown as {
        reason: string
        regarding: { kind: string }
      }[]
      return ['Infra', 'DHCPServer'].every((kind) =>
        reasons.some((event) => event.reason === 'Ready' && event.regarding.kind === kind),
      )
    })
    await sleep(systemClock, 300)
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

  test('what the DHCP engine reports is told: beside Ready, as events, and against Ready when nobody can be served', async () => {
    const namespace = await plane().newNamespace()
    await world().apply(attachment(namespace), infra(namespace))
    await world().bringUp(namespace, components.slice(0, 1))
    await world().eventually('dhcpservers', namespace, 'c1-dhcp', is('Ready', 'True'))
    const now = new Date().toISOString()
    const refusals = [{ mac: '02:00:00:00:00:66', reason: 'UnknownClient', count: 2, last: now }]
    const report = (type: string, message: string) =>
      world().reportAsEngine('dhcpservers', namespace, 'c1-dhcp', {
        refusals,
        conditions: [{ type, status: 'True', reason: type, message, lastTransitionTime: now, observedGeneration: 1 }],
      })
    const says = (status: string, text: string) => (object: AnyObject) => {
      const ready = condition(object, 'Ready')
      return ready?.status === status && ready.message.includes(text)
    }
    await report('PoolExhausted', 'all 3 addresses are lent')
    const full = await world().eventually('dhcpservers', namespace, 'c1-dhcp', says('True', 'all 3 addresses are lent'))
    expect(condition(full, 'PoolExhausted')?.status, 'written by the engine, left alone by the manager').toBe('True')
    await until('events', async () => {
      const events = (await world().list('events', namespace)) as unknown as { reason: string; note: string }[]
      return ['UnknownClient', 'PoolExhausted'].every((reason) => events.some((event) => event.reason === reason))
    })
    await world().bringUp(namespace, components.slice(1, 2))
    const watched = await world().eventually('dhcpservers', namespace, 'c1-dhcp', ({ status }) =>
      Boolean(status?.resolved?.neighbours?.length),
    )
    expect(watched.status.resolved.neighbours).toEqual([
      { name: 'c1-dns', address: '192.168.100.3', mac: '02:00:00:00:00:aa' },
    ])
    const conflict = {
      type: 'AddressAnsweredByOther',
      status: 'True',
      reason: 'AddressAnsweredByOther',
      lastTransitionTime: now,
    }
    await world().reportAsEngine('dnsservers', namespace, 'c1-dns', {
      conditions: [{ ...conflict, message: '192.168.100.2 (c1-dhcp) is answered by somebody else' }],
    })
    await world().eventually('dhcpservers', namespace, 'c1-dhcp', says('True', 'is answered by somebody else'))
    await report('LeaseStoreDegraded', 'the disk is full')
    await world().eventually('dhcpservers', namespace, 'c1-dhcp', says('False', 'the disk is full'))
    await world().eventually('infras', namespace, 'c1', is('DHCPReady', 'False', 'LeaseStoreDegraded'))
  })

  test('names of machines with a lease reach DNS', async () => {
    const namespace = await plane().newNamespace()
    await world().apply(attachment(namespace), infra(namespace))
    await world().eventually('dhcpservers', namespace, 'c1-dhcp')
    const spec = {
      server: 'c1-dhcp',
      address: '192.168.100.101',
      mac: '02:00:00:00:00:0a',
      vmName: 'worker-1',
      state: 'Active',
    }
    const times = { start: '2026-01-01T00:00:00Z', expires: '2026-01-01T01:00:00Z', sequence: 1 }
    await world().apply({
      apiVersion: 'hostedcluster.densityops.com/v1alpha1',
      kind: 'DHCPLease',
      metadata: { name: 'c1-dhcp-192-168-100-101', namespace },
      spec: { ...spec, ...times },
    })
    const dns = await world().eventually('dnsservers', namespace, 'c1-dns', ({ status }) =>
      Boolean(status?.resolved?.records?.length),
    )
    expect(dns.status.resolved.records).toEqual([
      { hostname: 'worker-1.c1.example.com', addresses: ['192.168.100.101'] },
    ])
  })

  test('how far machines came is in the status of the Infra, and who is stuck in an event with the likely cause', async () => {
    const namespace = await plane().newNamespace()
    await world().apply(attachment(namespace), infra(namespace))
    await world().eventually('dhcpservers', namespace, 'c1-dhcp')
    const ago = (minutes: number) => `${new Date(Date.now() - minutes * 60_000).toISOString().slice(0, 19)}Z`
    const lease = (number: number) => ({
      apiVersion: 'hostedcluster.densityops.com/v1alpha1',
      kind: 'DHCPLease',
      metadata: { name: `c1-dhcp-192-168-100-10${number}`, namespace },
      spec: {
        server: 'c1-dhcp',
        address: `192.168.100.10${number}`,
        mac: `02:00:00:00:00:0${number}`,
        vmName: `worker-${number}`,
        state: 'Active',
        start: ago(6),
        expires: ago(-60),
        sequence: number,
      },
    })
    await world().apply(lease(1), lease(2), lease(3))
    const seen = (number: number, reached: string[], failing: object[] = []) => ({
      address: `192.168.100.10${number}`,
      reached,
      failing,
      changed: ago(5.5),
    })
    await world().eventually('dnsservers', namespace, 'c1-dns')
    await world().reportAsEngine('dnsservers', namespace, 'c1-dns', {
      clients: [seen(1, ['api.c1.example.com']), seen(2, ['ignition.c1.example.com'])],
    })
    const failing = [{ name: 'ignition-server', error: 'connection refused' }]
    await world().reportAsEngine('proxyservers', namespace, 'c1-proxy', {
      clients: [seen(1, ['kube-apiserver']), seen(2, [], failing)],
    })
    const { status } = await world().eventually(
      'infras',
      namespace,
      'c1',
      ({ status }) => status?.vms?.connected === 1 && status.vms.stuck.length === 2,
    )
    expect(status.vms).toMatchObject({ known: 3, leased: 3, resolved: 2, connected: 1 })
    expect(status.vms.stuck).toMatchObject([
      { name: 'worker-2', stage: 'Connecting', hint: expect.stringContaining('ignition-server') },
      { name: 'worker-3', stage: 'Leased', hint: expect.stringContaining('192.168.100.3') },
    ])
    expect(condition({ metadata: { name: 'c1' }, status }, 'Accepted')?.status, 'the rest of the status stays').toBe(
      'True',
    )
    await until('events', async () => {
      const events = (await world().list('events', namespace)) as unknown as { reason: string; note: string }[]
      return events.filter(({ reason, note }) => reason === 'MachineStuck' && note.startsWith('worker-')).length === 2
    })
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
    expect(condition(await world().get('infras', namespace, 'c1'), 'DHCPReady')).toBeUndefined()

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
