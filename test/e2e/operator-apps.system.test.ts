import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { caFile } from '../../src/lab/controlplane/certificates.ts'
import { certificateDirectory } from '../../src/lab/controlplane/start.ts'
import { run } from '../../src/lab/host/command.ts'
import type { HostedApi } from '../../src/lab/kubernetes/cluster.ts'
import { images } from '../../src/lab/kubernetes/images.ts'
import { namespaceOf } from '../../src/lab/plan.ts'
import { until } from '../../src/lab/testing.ts'
import { type AnyObject, endpointSlice, worldOf } from '../envtest/operator-world.ts'
import { hostedCluster, installHyperShift, makeControlPlane } from '../envtest/standins/hypershift.ts'
import { advertisement, assign, installMetalLB, pool } from '../envtest/standins/metallb.ts'
import { shellPod } from './cluster-objects.ts'
import { startInNamespace } from './program-in-namespace.ts'
import { describeInLongRun, useCluster } from './use-cluster.ts'
import { InstalledOperator, namespace } from './use-operator.ts'

/**
 * Journey 3: `appsIngress` is switched on, and routes of the hosted cluster are reached from the VLAN and from pods. Two
 * real API servers; the stand-in MetalLB puts its address onto the VLAN, where a real TLS server stands for the router.
 */

const name = 'console.apps.lab.example.test'
const service = { name: 'oooi-ingress', namespace: 'openshift-ingress' }

interface AppsStatus {
  readonly status?: {
    readonly appsIngressStatus?: { readonly phase?: string; readonly reason?: string; readonly externalIP?: string }
  }
}

describeInLongRun('the applications of a hosted cluster, on a real node', () => {
  const cluster = useCluster({ nodes: 1, namespaceVms: 1 })
  const lab = () => cluster().plan.lab
  let operator: InstalledOperator
  let hosted: HostedApi
  let plainRouter: ChildProcess | undefined
  const there = () => worldOf(hosted.access)

  /** As a node of the hosted cluster does that MetalLB chose: it has the address, and answers for it. */
  const announce = (verb: 'add' | 'del') =>
    run('ip', [
      '-n',
      namespaceOf(lab(), 'apps'),
      'address',
      verb,
      `${lab().vlan.apps}/${lab().vlan.prefixLength}`,
      'dev',
      'eth0',
    ])
  const appsStatus = async () => (await operator.get<AppsStatus>('infras/lab')).status?.appsIngressStatus
  const untilPhase = (phase: string, reason?: string) =>
    until(
      `${phase} ${reason ?? ''}`,
      async () => {
        const status = await appsStatus()
        return status?.phase === phase && (reason === undefined || status.reason === reason) ? status : undefined
      },
      90_000,
    )
  const clusterIP = async (of: string): Promise<string> =>
    (await cluster().request<{ spec: { clusterIP: string } }>(`/api/v1/namespaces/${namespace}/services/${of}`)).body
      .spec.clusterIP

  beforeAll(async () => {
    operator = await InstalledOperator.install(cluster())
    await operator.attachVlan()
    await cluster().startHostedControlPlane()
    await announce('del')
    hosted = await cluster().startHostedApi(['kube-apiserver.clusters-lab.svc'])
    await Promise.all([installHyperShift(cluster()), installMetalLB(hosted.access)])
    await there().apply(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: service.namespace } },
      pool('apps', [`${lab().vlan.apps}-192.168.100.12`]),
      advertisement('vlan', ['apps']),
    )
    const owner = { namespace, name: 'lab' }
    const controlPlane = await makeControlPlane(cluster(), owner, await hosted.kubeconfig('admin', ['system:masters']))
    await worldOf(cluster()).apply(apiSlice(controlPlane, hosted), published(), probePod())
    const appsIngress = { enabled: true, metallb: { addressPoolName: 'apps' } }
    await operator.applyInfra({}, {}, { appsIngress, hostedClusterRef: owner })
    await cluster().waitFor('pod/probe', 'condition=Ready', namespace)
  })

  afterAll(() => void plainRouter?.kill())

  it('makes the Service in the hosted cluster and waits for its address', async () => {
    await untilPhase('Pending', 'AddressPending')
    expect((await there().eventually('services', service.namespace, service.name)).spec.type).toBe('LoadBalancer')
    expect(await operator.resolve(name)).toBeUndefined()
  })

  it('has names and proxy as soon as MetalLB gives an address, and machines and pods reach the router', async () => {
    await there().apply(routerSlice())
    await announce('add')
    plainRouter = await startInNamespace(
      namespaceOf(lab(), 'apps'),
      `require('node:http').createServer(({ headers }, response) => response.end('plain ' + headers.host))
        .listen(80, '${lab().vlan.apps}', () => console.log('listening'))`,
    )
    await assign(hosted.access, await there().eventually('services', service.namespace, service.name), lab().vlan.apps)
    expect(await untilPhase('Ready')).toMatchObject({ externalIP: lab().vlan.apps })
    await operator.untilCondition('AppsIngressReady', 'True')
    await until('the name on the VLAN', async () =>
      (await operator.resolve(name)) === lab().vlan.apps ? true : undefined,
    )
    const reports = await cluster().bootMachines()
    expect(reports.flatMap(({ steps }) => steps.filter((step) => !step.ok))).toEqual([])
    expect(reports[0]?.steps.map((step) => step.name)).toContain('apps')
    const seen = await until('an answer in a pod', () => askFromPod(clusterIP('lab-dns')))
    expect(seen).toMatchObject({ address: await clusterIP('lab-proxy'), authorized: true })
    expect(seen.body).toContain('console')
    expect(await askPlainly(await clusterIP('lab-proxy'))).toBe(`plain ${name}`)
    const resolver = await clusterIP('lab-dns')
    const api = await cluster().exec(namespace, 'probe', [
      '/usr/bin/node',
      '-e',
      lookup(resolver, 'api.lab.example.test'),
    ])
    expect(JSON.parse(api)).toEqual([await clusterIP('lab-proxy')])
  })

  it('follows an address that changes, and keeps the last one when it goes and when the API server is gone', async () => {
    const made = await there().eventually('services', service.namespace, service.name)
    await assign(hosted.access, made, '192.168.100.11')
    await until('the new address', async () => ((await operator.resolve(name)) === '192.168.100.11' ? true : undefined))
    await assign(hosted.access, made, lab().vlan.apps)
    await until('the old address', async () => ((await operator.resolve(name)) === lab().vlan.apps ? true : undefined))
    await assign(hosted.access, made)
    await untilPhase('Degraded', 'AddressLost')
    await hosted.stop()
    await untilPhase('Degraded', 'HostedAPIUnreachable')
    expect(await operator.resolve(name)).toBe(lab().vlan.apps)
    expect(await askFromPod(clusterIP('lab-dns'))).toMatchObject({ authorized: true })
    await hosted.start()
    await assign(hosted.access, made, lab().vlan.apps)
    await untilPhase('Ready')
  })

  it('takes the Service away with the Infra', async () => {
    await cluster().kubectl(['delete', 'infra', 'lab', '-n', namespace, '--wait=true'])
    await there().gone('services', service.namespace, service.name)
  })

  /** One request over port 80, where the name is in the request alone. */
  async function askPlainly(address: string): Promise<string> {
    const script = `require('node:http').get({ host: '${address}', headers: { host: '${name}' } }, (response) => response.pipe(process.stdout))`
    return (await cluster().exec(namespace, 'probe', ['/usr/bin/node', '-e', script])).trim()
  }

  /** One HTTPS request by name, with the resolver of the pod view. */
  async function askFromPod(resolver: Promise<string>) {
    const ca = readFileSync(join(certificateDirectory(cluster().ledger), caFile), 'utf8')
    const script = `
      const { Resolver } = require('node:dns/promises'), tls = require('node:tls')
      const resolver = new Resolver({ timeout: 1000, tries: 2 })
      resolver.setServers(['${await resolver}'])
      resolver.resolve4('${name}').then(([address]) => {
        const socket = tls.connect({ host: address, port: 443, servername: '${name}', ca: ${JSON.stringify(ca)} }, () => {
          socket.write('GET / HTTP/1.1\\r\\nhost: ${name}\\r\\nconnection: close\\r\\n\\r\\n')
        })
        let body = ''
        socket.on('data', (data) => { body += data })
        socket.on('close', () => console.log(JSON.stringify({ address, authorized: socket.authorized, body })))
      })`
    const told = await cluster()
      .exec(namespace, 'probe', ['/usr/bin/node', '-e', script])
      .catch(() => '')
    return told.includes('authorized')
      ? (JSON.parse(told) as { address: string; authorized: boolean; body: string })
      : undefined
  }
})

function lookup(resolver: string, host: string): string {
  return `const { Resolver } = require('node:dns/promises'), resolver = new Resolver()
    resolver.setServers(['${resolver}'])
    resolver.resolve4('${host}').then((found) => console.log(JSON.stringify(found)))`
}

/** The way from the Service of the control plane to its API server, which is no pod here. */
function apiSlice(controlPlane: string, { address, port }: HostedApi): AnyObject {
  return endpointSlice(controlPlane, 'kube-apiserver', { address, port })
}

function routerSlice(): AnyObject {
  return endpointSlice(service.namespace, service.name, { address: '10.132.0.5', port: 443, portName: 'https' })
}

/** Published under the names that the machines of the lab use. */
function published(): AnyObject {
  const at = (host: string) => `${host}.lab.example.test`
  const route = (of: string, host: string) => ({
    service: of,
    servicePublishingStrategy: { type: 'Route', route: { hostname: at(host) } },
  })
  const api = { type: 'LoadBalancer', loadBalancer: { hostname: at('api') } }
  const services = [
    { service: 'APIServer', servicePublishingStrategy: api },
    route('OAuthServer', 'oauth'),
    route('Konnectivity', 'konnectivity'),
    route('Ignition', 'ignition'),
  ]
  return hostedCluster(namespace, 'lab', { spec: { dns: { baseDomain: 'example.test' }, services } })
}

/** Somebody on the pod network who has Node at hand. */
function probePod(): AnyObject {
  const pod = shellPod(namespace, 'probe') as AnyObject
  const [container] = pod.spec.containers
  const idle = ['/usr/bin/node', '-e', 'setInterval(() => {}, 1e6)']
  return { ...pod, spec: { ...pod.spec, containers: [{ ...container, image: images.oooi, command: idle }] } }
}
