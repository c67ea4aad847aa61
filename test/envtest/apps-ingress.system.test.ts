import { expect, test } from 'vitest'
import { appsPool, isKept, isPhase, routerEndpoints, useAppsWorld } from './apps-world.ts'
import { describeWithControlPlane } from './availability.ts'
import type { AnyObject } from './operator-world.ts'
import {
  advertisement,
  assign,
  installMetalLB,
  installMetalLBOperator,
  instance,
  pool,
  refuse,
  removeMetalLB,
} from './standins/metallb.ts'
import { installRouter } from './standins/router.ts'

describeWithControlPlane('the applications of a hosted cluster', () => {
  const { plane, hosted, world, there, scene, readyScene, leadsTo } = useAppsWorld({ withMetalLB: false })

  let tries = 0
  // The tests after the first find MetalLB there.
  test('MetalLB is looked for step by step, then the Service is made, given an address, and everything is told', async () => {
    await removeMetalLB(hosted())
    const name = `apps-told-${++tries}`
    const { cluster, status, touch } = await scene({
      apps: { service: { name, labels: { team: 'a' }, annotations: { note: 'b' } }, ports: { https: 8443 } },
    })
    expect((await status('Degraded', 'MetalLBNotInstalled')).externalIP).toBeUndefined()
    await installMetalLB(hosted())
    await touch()
    await status('Degraded', 'AddressPoolNotFound')
    await there().apply(appsPool)
    await touch()
    await status('Degraded', 'NotAdvertised')
    expect(await there().get('services', 'openshift-ingress', name)).toBeUndefined()
    await there().apply(advertisement('vlan', ['apps']))
    await touch()
    await status('Pending', 'AddressPending')
    const made = await there().eventually('services', 'openshift-ingress', name)
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
    await there().apply(routerEndpoints(name))
    expect(await status('Ready', 'AddressAssigned')).toMatchObject({
      externalIP: '192.168.100.240',
      externalIPs: ['192.168.100.240'],
      hostedCluster: `${cluster.namespace}/c1`,
      serviceName: name,
      serviceNamespace: 'openshift-ingress',
      lastSyncTime: expect.stringMatching(/^\d{4}-/),
    })
  })

  test('the address changes, goes, is refused, comes from elsewhere: told at once by the watch, and the last good one stays', async () => {
    const { from, status, madeService, service, touch } = await readyScene()
    const patch = (body: string) =>
      hosted().kubectl(['patch', 'service', service, '-n', 'openshift-ingress', '--type=merge', '-p', body])
    await assign(hosted(), await madeService(), '192.168.100.242')
    const isNow = (ip: string) => (object: AnyObject) => object.status?.appsIngressStatus?.externalIP === ip
    await world().eventually('infras', from, 'c1', isNow('192.168.100.242'))
    await leadsTo(from, '192.168.100.242')
    await assign(hosted(), await madeService())
    expect(await status('Degraded', 'AddressLost')).toMatchObject({ externalIP: '192.168.100.242' })
    await refuse(hosted(), await madeService(), 'no available IPs')
    await touch()
    expect((await status('Degraded', 'AllocationFailed')).message).toBe('MetalLB says: no available IPs')
    await assign(hosted(), await madeService(), '10.1.1.1')
    const refused = await status('Degraded', 'LoadBalancerContention')
    expect(refused).toMatchObject({ externalIP: '192.168.100.242', externalIPs: ['192.168.100.242'] })
    await leadsTo(from, '192.168.100.242')
    await assign(hosted(), await madeService(), '192.168.100.243')
    expect(await status('Ready')).toMatchObject({ externalIP: '192.168.100.243' })
    await patch('{"metadata":{"finalizers":["service.kubernetes.io/load-balancer-cleanup"]}}')
    await status('Degraded', 'LoadBalancerContention')
    await patch('{"metadata":{"finalizers":null}}')
    await status('Ready')
    await hosted().kubectl(['delete', 'endpointslice', `${service}-1`, '-n', 'openshift-ingress'])
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
    const { status, service, madeService, change, touch } = await scene()
    await status('Pending', 'AddressPending')
    const { uid, spec } = await madeService().then(({ metadata, spec }) => ({ uid: metadata.uid, spec }))
    expect(spec.loadBalancerClass).toBeUndefined()
    await installMetalLBOperator(hosted())
    await there().apply(instance('metallb.io/metallb'))
    await touch()
    await madeService((object) => object.metadata.uid !== uid && object.spec.loadBalancerClass === 'metallb.io/metallb')
    await change({ service: { name: service, loadBalancerClass: 'other.example/class' } })
    await status('Degraded', 'LoadBalancerClassMismatch')
    await hosted().kubectl(['delete', 'metallb', 'metallb', '-n', 'metallb-system'])
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
    await there().apply(routerEndpoints(service))
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
    await there().apply(routerEndpoints(attached))
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
})
