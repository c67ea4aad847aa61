import { beforeAll, expect, test } from 'vitest'
import { hurriedClock } from '../chaos/hurried-clock.ts'
import { describeWithControlPlane } from './availability.ts'
import { installKinds, installMultus } from './installed-kinds.ts'
import { type AnyObject, infra, worldOf } from './operator-world.ts'
import { hostedCluster, installHyperShift, kubeconfigSecret, makeControlPlane } from './standins/hypershift.ts'
import {
  advertisement,
  assign,
  installMetalLB,
  installMetalLBOperator,
  instance,
  pool,
  refuse,
} from './standins/metallb.ts'
import { installRouter } from './standins/router.ts'
import { useOwnControlPlane } from './use.ts'
import { useOperator } from './use-operator.ts'

const tests = 16
const clusterOf = (number: number) => ({ namespace: `tenant${number}`, name: 'c1' })
const serverNames = Array.from({ length: tests }, (_, number) => `kube-apiserver.tenant${number}-c1.svc`)

/** Faster than life: looks come a second apart at first, and a Service is given up after twelve. */
const clock = hurriedClock(5)

describeWithControlPlane('the applications of a hosted cluster', () => {
  const plane = useOwnControlPlane({ audited: true, prepare: [installKinds, installMultus, installHyperShift] })
  const hosted = useOwnControlPlane({ audited: true, names: serverNames })
  const world = () => worldOf(plane())
  const there = () => worldOf(hosted())
  let used = 0

  useOperator(plane, {
    clock,
    dial: () => ({ host: '127.0.0.1', port: Number(new URL(hosted().url).port) }),
  })
  beforeAll(() => there().apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'openshift-ingress' } }))

  /** An Infra with a HostedCluster of its own, whose Service has a name of its own in the one hosted cluster here. */
  async function scene(
    options: { apps?: object; kubeconfig?: string | undefined; cluster?: object; from?: string } = {},
  ) {
    const cluster = clusterOf(used++)
    const service = `apps-${cluster.namespace}`
    const from = options.from ?? cluster.namespace
    const kubeconfig = 'kubeconfig' in options ? options.kubeconfig : hosted().admin.kubeconfig
    await world().apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: cluster.namespace } })
    await world().apply(hostedCluster(cluster.namespace, cluster.name, { spec: options.cluster ?? {} }))
    const controlPlane = await makeControlPlane(plane(), cluster, kubeconfig)
    const wanted = (apps: object = {}) =>
      infra(from, 'c1', {
        proxy: { controlPlaneNamespace: controlPlane },
        spec: {
          hostedClusterRef: cluster,
          appsIngress: {
            enabled: true,
            metallb: { addressPoolName: 'apps' },
            service: { name: service },
            ...options.apps,
            ...apps,
          },
        },
      })
    await world().apply(wanted())
    const status = (phase: string, reason?: string) =>
      world()
        .eventually('infras', from, 'c1', (object) => isPhase(object, phase, reason))
        .then((object) => object.status.appsIngressStatus)
    const madeService = (isSo?: (object: AnyObject) => boolean) =>
      there().eventually('services', 'openshift-ingress', service, isSo)
    /** Looked at again soon, however long the next look is away. */
    const touch = () => plane().kubectl(['annotate', 'namespace', controlPlane, '--overwrite', `touched=${Date.now()}`])
    return {
      cluster,
      from,
      controlPlane,
      service,
      status,
      madeService,
      touch,
      change: (apps: object) => world().apply(wanted(apps)),
    }
  }

  const ready = (service: string) =>
    ({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: service, namespace: 'openshift-ingress', labels: { 'kubernetes.io/service-name': service } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.132.0.5'], conditions: { ready: true } }],
      ports: [{ name: 'https', port: 443 }],
    }) as AnyObject

  test('MetalLB is looked for step by step, then the Service is made, given an address, and everything is told', async () => {
    const { status, madeService, service, touch } = await scene({
      apps: {
        service: { name: `apps-tenant${used}`, labels: { team: 'a' }, annotations: { note: 'b' } },
        ports: { https: 8443 },
      },
    })
    expect((await status('Degraded', 'MetalLBNotInstalled')).externalIP).toBeUndefined()
    await installMetalLB(hosted())
    await touch()
    await status('Degraded', 'AddressPoolNotFound')
    await there().apply(pool('apps', ['192.168.100.240-192.168.100.250']))
    await touch()
    await status('Degraded', 'NotAdvertised')
    expect(await there().get('services', 'openshift-ingress', service)).toBeUndefined()
    await there().apply(advertisement('vlan', ['apps']))
    await touch()
    await status('Pending', 'AddressPending')
    const made = await madeService()
    expect(made.metadata.labels).toMatchObject({ team: 'a', 'app.kubernetes.io/managed-by': 'oooi' })
    expect(made.metadata.annotations).toMatchObject({ note: 'b', 'metallb.io/address-pool': 'apps' })
    expect(made.spec).toMatchObject({
      type: 'LoadBalancer',
      selector: { 'ingresscontroller.operator.openshift.io/deployment-ingresscontroller': 'default' },
      ports: [
        { name: 'http', port: 80, targetPort: 'http' },
        { name: 'https', port: 8443, targetPort: 'https' },
      ],
    })
    await assign(hosted(), made, '192.168.100.240')
    expect(await status('Pending', 'NoRouterEndpoints')).toMatchObject({ externalIP: '192.168.100.240' })
    await there().apply(ready(service))
    expect(await status('Ready', 'AddressAssigned')).toMatchObject({
      externalIP: '192.168.100.240',
      externalIPs: ['192.168.100.240'],
      hostedCluster: 'tenant0/c1',
      serviceName: service,
      serviceNamespace: 'openshift-ingress',
      lastSyncTime: expect.stringMatching(/^\d{4}-/),
    })
  })

  /** The wildcard of the VLAN view, and both ports of the proxy. */
  async function leadsTo(namespace: string, ip: string): Promise<void> {
    const hostname = '*.apps.c1.example.com'
    type Entry = { hostname: string; ip?: string; port?: number; targetAddress?: string }
    const isNamed = ({ spec }: AnyObject) =>
      spec.staticEntries.some((entry: Entry) => entry.hostname === hostname && entry.ip === ip)
    await world().eventually('dnsservers', namespace, 'c1-dns', isNamed)
    const ports = ({ spec }: AnyObject): unknown[] =>
      spec.backends
        .filter((entry: Entry) => entry.hostname === hostname && entry.targetAddress === ip)
        .map((entry: Entry) => entry.port)
    const proxy = await world().eventually('proxyservers', namespace, 'c1-proxy', (object) => ports(object).length > 0)
    expect(ports(proxy)).toEqual(expect.arrayContaining([80, 443]))
  }

  /** One that is Ready. */
  async function readyScene(options: Parameters<typeof scene>[0] = {}) {
    const found = await scene(options)
    await there().apply(ready(found.service))
    await assign(hosted(), await found.madeService(), '192.168.100.241')
    await found.status('Ready')
    return found
  }

  test('the address changes, goes, is refused, comes from elsewhere: told at once by the watch, and the last good one stays', async () => {
    const { status, madeService, service, touch } = await readyScene()
    await assign(hosted(), await madeService(), '192.168.100.242')
    const isNow = (ip: string) => (object: AnyObject) => object.status?.appsIngressStatus?.externalIP === ip
    await world().eventually('infras', 'tenant1', 'c1', isNow('192.168.100.242'))
    await leadsTo('tenant1', '192.168.100.242')
    await assign(hosted(), await madeService())
    expect(await status('Degraded', 'AddressLost')).toMatchObject({ externalIP: '192.168.100.242' })
    await refuse(hosted(), await madeService(), 'no available IPs')
    await touch()
    expect((await status('Degraded', 'AllocationFailed')).message).toBe('MetalLB says: no available IPs')
    await assign(hosted(), await madeService(), '10.1.1.1')
    const refused = await status('Degraded', 'LoadBalancerContention')
    expect(refused).toMatchObject({ externalIP: '192.168.100.242', externalIPs: ['192.168.100.242'] })
    await leadsTo('tenant1', '192.168.100.242')
    await assign(hosted(), await madeService(), '192.168.100.243')
    expect(await status('Ready')).toMatchObject({ externalIP: '192.168.100.243' })
    await hosted().kubectl([
      'patch',
      'service',
      service,
      '-n',
      'openshift-ingress',
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":["service.kubernetes.io/load-balancer-cleanup"]}}',
    ])
    await status('Degraded', 'LoadBalancerContention')
    await hosted().kubectl([
      'patch',
      'service',
      service,
      '-n',
      'openshift-ingress',
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":null}}',
    ])
    await status('Ready')
    await hosted().kubectl(['delete', 'endpointslice', service, '-n', 'openshift-ingress'])
    expect(await status('Degraded', 'NoRouterEndpoints')).toMatchObject({ externalIP: '192.168.100.243' })
  })

  test('somebody else’s Service is left alone, and one of ours that was deleted comes back', async () => {
    const service = 'taken'
    await there().apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: service, namespace: 'openshift-ingress' },
      spec: { ports: [{ port: 1 }] },
    })
    const { status, change, service: own, madeService } = await scene({ apps: { service: { name: service } } })
    await status('Degraded', 'ObjectNotOurs')
    await change({ service: { name: own } })
    await status('Pending', 'AddressPending')
    expect((await there().get('services', 'openshift-ingress', service))?.spec.ports).toMatchObject([{ port: 1 }])
    const { uid } = (await madeService()).metadata
    await there().remove('services', 'openshift-ingress', own)
    await madeService((object) => object.metadata.uid !== uid)
  })

  test('a class is set from MetalLB’s own object; another one means another Service', async () => {
    const { status, madeService, change, touch } = await scene()
    await status('Pending', 'AddressPending')
    const { uid, spec } = await madeService().then(({ metadata, spec }) => ({ uid: metadata.uid, spec }))
    expect(spec.loadBalancerClass).toBeUndefined()
    await installMetalLBOperator(hosted())
    await there().apply(instance('metallb.io/metallb'))
    await touch()
    await madeService((object) => object.metadata.uid !== uid && object.spec.loadBalancerClass === 'metallb.io/metallb')
    await change({ service: { name: 'apps-tenant3', loadBalancerClass: 'other.example/class' } })
    await status('Degraded', 'LoadBalancerClassMismatch')
    await hosted().kubectl(['delete', 'metallb', 'metallb', '-n', 'metallb-system'])
  })

  test('the hosted API server stops and starts again: Degraded with the last address, then Ready', async () => {
    const { status } = await readyScene()
    process.kill(hosted().pids['kube-apiserver'] ?? 0, 'SIGKILL')
    const down = await status('Degraded', 'HostedAPIUnreachable')
    expect(down).toMatchObject({ externalIP: '192.168.100.241' })
    expect(down.message).toContain('https://kube-apiserver.tenant4-c1.svc:6443/')
    await hosted().restart()
    await status('Ready')
  })

  test('a kubeconfig that comes late, is rotated, and loses its rights', async () => {
    const { status, controlPlane, touch } = await scene({ kubeconfig: undefined })
    await status('Degraded', 'KubeconfigMissing')
    const first = await hosted().addUser('first-admin', ['system:masters'])
    await world().apply(kubeconfigSecret(controlPlane, first.kubeconfig))
    await touch()
    await status('Pending', 'AddressPending')
    const nobody = await hosted().addUser('nobody-yet')
    await world().apply(kubeconfigSecret(controlPlane, nobody.kubeconfig))
    await touch()
    await status('Degraded', 'HostedAPIRefused')
    const second = await hosted().addUser('second-admin', ['system:masters'])
    await world().apply(kubeconfigSecret(controlPlane, second.kubeconfig))
    await touch()
    await status('Pending', 'AddressPending')
    const users = new Set((await hosted().audit()).map(({ user }) => user))
    expect([...users]).toEqual(expect.arrayContaining(['first-admin', 'nobody-yet', 'second-admin']))
  })

  test('a hostile kubeconfig is refused by name, and one for another server leads to the pinned one', async () => {
    const { status, controlPlane, touch } = await scene({
      kubeconfig: hosted().admin.kubeconfig.replace(/"client-key-data": .*/, '"exec": { "command": "/bin/sh" }'),
    })
    expect((await status('Degraded', 'KubeconfigRefused')).message).toContain('uses exec')
    await world().apply(
      kubeconfigSecret(controlPlane, hosted().admin.kubeconfig.replace(hosted().url, 'https://203.0.113.9:1')),
    )
    await touch()
    await status('Pending', 'AddressPending')
    await world().apply(kubeconfigSecret(controlPlane, plane().admin.kubeconfig))
    await touch()
    expect((await status('Degraded', 'HostedAPIUnreachable')).message).toMatch(/certificate/)
  })

  test('a hosted cluster without router, without control plane, or of somebody who does not permit it', async () => {
    const off = await scene({ cluster: { capabilities: { disabled: ['Ingress'] } } })
    await off.status('Degraded', 'IngressDisabled')
    const stranger = await plane().newNamespace('stranger')
    const foreign = await scene({ from: stranger })
    expect((await foreign.status('Degraded', 'TargetNotPermitted')).message).toContain('kubectl annotate namespace')
    const { controlPlane, cluster } = foreign
    await plane().kubectl([
      'annotate',
      'namespace',
      cluster.namespace,
      `hostedcluster.densityops.com/allow-infra-from=${stranger}`,
    ])
    const isAboutPlane = ({ status }: AnyObject) => status?.appsIngressStatus?.message.startsWith(`${controlPlane} is`)
    await world().eventually('infras', stranger, 'c1', isAboutPlane)
    await plane().kubectl([
      'annotate',
      'namespace',
      controlPlane,
      `hostedcluster.densityops.com/allow-infra-from=${stranger}`,
    ])
    await foreign.status('Pending', 'AddressPending')
    await plane().kubectl(['annotate', 'namespace', controlPlane, 'hostedcluster.densityops.com/allow-infra-from-'])
    await foreign.status('Degraded', 'TargetNotPermitted')
    await plane().kubectl(['delete', 'hostedcontrolplane', '--all', '-n', off.controlPlane])
    await off.status('Degraded', 'ControlPlanePending')
  })

  test('switched off or deleted, the Service goes, and nothing of it stays here', async () => {
    const { change, service, from } = await readyScene()
    const isClean = (object: AnyObject) => object.status?.appsIngressStatus === undefined && !isKept(object)
    await change({ enabled: false })
    await there().gone('services', 'openshift-ingress', service)
    await world().eventually('infras', from, 'c1', isClean)
    await change({})
    await there().eventually('services', 'openshift-ingress', service)
    await change({ service: { name: `${service}-moved` } })
    await there().gone('services', 'openshift-ingress', service)
    await there().eventually('services', 'openshift-ingress', `${service}-moved`)
    await world().remove('infras', from, 'c1')
    await world().gone('infras', from, 'c1')
    await there().gone('services', 'openshift-ingress', `${service}-moved`)
  })

  test('pools, domains and routers that do not fit are told as what they are', async () => {
    const { status, change, madeService, service, from, touch } = await scene()
    const metallb = (addressPoolName: string, more = {}) => ({ metallb: { addressPoolName, ...more } })
    await change(metallb('apps', { ipAddressPoolRange: '192.168.100.150-192.168.100.160' }))
    await status('Degraded', 'AddressTaken')
    await there().apply(pool('empty', ['192.168.100.250/32'], { status: { availableIPv4: 0 } }))
    await there().apply(pool('wide', ['192.168.100.0/23']), advertisement('all', []))
    await change(metallb('empty'))
    await status('Degraded', 'AddressPoolExhausted')
    await change(metallb('wide'))
    await assign(hosted(), await madeService(), '192.168.100.100')
    expect((await status('Degraded', 'AddressRefused')).message).toContain('DHCP')
    await change({ service: { name: service, namespace: 'nowhere' } })
    await status('Degraded', 'ApplyFailed')
    await change({})
    await installRouter(hosted(), 'apps.elsewhere.example.com')
    await there().apply(ready(service))
    await assign(hosted(), await madeService(), '192.168.100.245')
    await touch()
    await status('Degraded', 'AppsDomainMismatch')
    await installRouter(hosted(), 'apps.c1.example.com', { nodePort: { protocol: 'PROXY' } })
    await touch()
    await status('Degraded', 'ProxyProtocolExpected')
    await installRouter(hosted(), 'apps.c1.example.com', { nodePort: { protocol: 'TCP' } })
    await touch()
    await status('Ready')
    const elsewhere = JSON.stringify({ spec: { hostedClusterRef: { name: 'nobody', namespace: from } } })
    await plane().kubectl(['patch', 'infra', 'c1', '-n', from, '--type=merge', '-p', elsewhere])
    await status('Degraded', 'HostedClusterMissing')
    await there().gone('services', 'openshift-ingress', service)
  })

  test('an attachment asks in the same way; the Infra’s own fields do not count then', async () => {
    const { from, cluster, service, madeService } = await readyScene()
    const attached = `${service}-attached`
    const appsIngress = { enabled: true, metallb: { addressPoolName: 'apps' }, service: { name: attached } }
    await world().apply({
      apiVersion: 'hostedcluster.densityops.com/v1alpha1',
      kind: 'InfraClusterAttachment',
      metadata: { name: 'second', namespace: from },
      spec: { infraRef: { name: 'c1' }, hostedClusterRef: cluster, appsIngress },
    })
    await there().gone('services', 'openshift-ingress', service)
    const made = await there().eventually('services', 'openshift-ingress', attached)
    await there().apply(ready(attached))
    await assign(hosted(), made, '192.168.100.244')
    const isReady = (object: AnyObject) => isPhase(object, 'Ready') && isKept(object)
    const { status } = await world().eventually('infraclusterattachments', from, 'second', isReady)
    expect(status.appsIngressStatus.externalIP).toBe('192.168.100.244')
    await world().remove('infraclusterattachments', from, 'second')
    await world().gone('infraclusterattachments', from, 'second')
    await there().gone('services', 'openshift-ingress', attached)
    await madeService()
  })

  test('the single form becomes an attachment, and the Service stays with its address', async () => {
    const { from, cluster, service, madeService } = await readyScene()
    const { uid } = (await madeService()).metadata
    const appsIngress = { enabled: true, metallb: { addressPoolName: 'apps' }, service: { name: service } }
    await world().apply({
      apiVersion: 'hostedcluster.densityops.com/v1alpha1',
      kind: 'InfraClusterAttachment',
      metadata: { name: 'same', namespace: from },
      spec: { infraRef: { name: 'c1' }, hostedClusterRef: cluster, appsIngress },
    })
    const attached = await world().eventually('infraclusterattachments', from, 'same', (object) =>
      isPhase(object, 'Ready'),
    )
    expect(attached.status.appsIngressStatus.externalIP).toBe('192.168.100.241')
    await world().eventually(
      'infras',
      from,
      'c1',
      (object) => object.status.appsIngressStatus === undefined && !isKept(object),
    )
    const made = await madeService()
    expect(made.metadata.uid).toBe(uid)
    expect(made.metadata.annotations).toMatchObject({
      'hostedcluster.densityops.com/apps-ingress-of': `InfraClusterAttachment ${from}/same`,
    })
  })

  /** As long as it takes to give up. */
  const testPatiently = test.skipIf(process.env.OOOI_E2E !== 'all')

  testPatiently('a hosted cluster that does not answer keeps nobody from deleting an Infra', async () => {
    const { from, service } = await readyScene()
    hosted().pause()
    try {
      await world().remove('infras', from, 'c1')
      await world().gone('infras', from, 'c1')
    } finally {
      hosted().resume()
    }
    const events = await world().list('events', from)
    expect(events.map((event) => 'reason' in event && event.reason)).toContain('ServiceLeftBehind')
    expect(await there().get('services', 'openshift-ingress', service)).toBeDefined()
  })

  test('Secrets are asked for by their one name only, and nothing of MetalLB in the management cluster', async () => {
    const mine = (await plane().audit()).filter(({ user }) => user === 'oooi-manager-under-test')
    expect(new Set(mine.filter(({ resource }) => resource === 'secrets').map(({ verb }) => verb))).toEqual(
      new Set(['get']),
    )
    expect(mine.filter(({ group }) => group === 'metallb.io')).toEqual([])
    const may = (...words: string[]) =>
      plane()
        .kubectl(['auth', 'can-i', ...words, '--as=oooi-manager-under-test', '-A'])
        .then((answer) => answer.trim())
        .catch(() => 'no')
    for (const [verb, what] of [
      ['list', 'secrets'],
      ['watch', 'secrets'],
      ['get', 'secrets'],
      ['get', 'ipaddresspools.metallb.io'],
    ]) {
      expect(`${verb} ${what}: ${await may(verb ?? '', what ?? '')}`).toBe(`${verb} ${what}: no`)
    }
  })
})

function isPhase(object: AnyObject, phase: string, reason?: string): boolean {
  const status = object.status?.appsIngressStatus
  return status?.phase === phase && (reason === undefined || status.reason === reason)
}

function isKept({ metadata }: AnyObject): boolean {
  return metadata.finalizers?.includes('hostedcluster.densityops.com/apps-ingress') === true
}
