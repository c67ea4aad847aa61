import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { run } from '../../src/lab/host/command.ts'
import { inNamespace } from '../../src/lab/network/build.ts'
import { namespaceOf } from '../../src/lab/plan.ts'
import { until } from '../../src/lab/testing.ts'
import { selfSigned } from '../../src/runtime/observe/self-signed.ts'
import { installForeignKind } from '../envtest/installed-kinds.ts'
import { type AnyObject, endpointSlice, worldOf } from '../envtest/operator-world.ts'
import { hostedCluster, installHyperShift, makeControlPlane } from '../envtest/standins/hypershift.ts'
import { startInNamespace } from './program-in-namespace.ts'
import { describeInLongRun, useCluster } from './use-cluster.ts'
import { InstalledOperator, namespace } from './use-operator.ts'

/**
 * Journey 1 from an annotated HostedCluster to a machine that booted, and journey 6: a second cluster on the same VLAN,
 * whose machines are led to their own control plane where no name tells which is meant.
 */

const ours = 'hostedcluster.densityops.com'
const otherApiPort = 7443

describeInLongRun('hosted clusters on one VLAN, on a real node', () => {
  const cluster = useCluster({ nodes: 1, namespaceVms: 2 })
  const lab = () => cluster().plan.lab
  const world = () => worldOf(cluster())
  let operator: InstalledOperator
  let otherApi: ChildProcess | undefined

  beforeAll(async () => {
    operator = await InstalledOperator.install(cluster())
    await operator.attachVlan()
    await cluster().startHostedControlPlane()
    await installHyperShift(cluster())
    await installForeignKind(cluster(), 'kubevirt.io/v1', 'VirtualMachineInstance', 'virtualmachineinstances')
    const { pods, vms } = lab()
    const controlPlane = await makeControlPlane(cluster(), { namespace, name: 'lab' }, undefined)
    await world().apply(
      endpointSlice(controlPlane, 'kube-apiserver', { address: pods.api, port: 6443 }),
      ...reachable(controlPlane, 'oauth-openshift', pods.oauth, 6443),
      ...reachable(controlPlane, 'ignition-server-proxy', pods.ignition, 443),
      ...reachable(controlPlane, 'konnectivity-server', pods.konnectivity, 8091),
      machine(controlPlane, vms[0]),
    )
  })
  afterAll(() => void otherApi?.kill())

  it('an annotated HostedCluster becomes an Infra with addresses chosen for it, which is served', async () => {
    const { vlan, pods } = lab()
    const annotations = {
      [`${ours}/network`]: 'vlan100',
      [`${ours}/cidr`]: vlan.cidr,
      [`${ours}/gateway`]: vlan.gateway,
      [`${ours}/dns-servers`]: pods.resolver,
      [`${ours}/dhcp-range`]: `${vlan.rangeStart}-${vlan.rangeEnd}`,
    }
    const made = published('lab')
    await world().apply({ ...made, metadata: { ...made.metadata, annotations } })
    await until('the Infra', async () => ((await operator.names('infra')).length === 1 ? true : undefined))
    await operator.untilReady(120)
    await operator.untilCondition('EndpointsDiscovered', 'True')
  })

  it('a second cluster is attached by its annotation, and both are served', async () => {
    otherApi = await startOtherApi()
    const controlPlane = await makeControlPlane(cluster(), { namespace, name: 'other' }, undefined)
    const { pods, vms, vlan } = lab()
    await world().apply(
      endpointSlice(controlPlane, 'kube-apiserver', { address: pods.api, port: otherApiPort }),
      ...reachable(controlPlane, 'oauth-openshift', pods.oauth, 6443),
      ...reachable(controlPlane, 'ignition-server-proxy', pods.ignition, 443),
      ...reachable(controlPlane, 'konnectivity-server', pods.konnectivity, 8091),
      machine(controlPlane, vms[1]),
    )
    const other = published('other')
    await world().apply({ ...other, metadata: { ...other.metadata, annotations: { [`${ours}/infra`]: 'lab' } } })
    await operator.untilCondition('Ready', 'True', 'infraclusterattachments/other', 120_000)
    const reservations = [{ vmName: vms[0]?.name, address: vms[0]?.address }]
    const patch = JSON.stringify({ spec: { infraComponents: { dhcp: { reservations } } } })
    await cluster().kubectl(['patch', 'infra', 'lab', '-n', namespace, '--type=merge', '-p', patch])
    await operator.untilReady(120)
    await until('its name on the VLAN', async () =>
      (await operator.resolve('api.other.example.test')) === vlan.proxy ? true : undefined,
    )
  })

  it('machines of both boot, and without a name each reaches the control plane of its own cluster only', async () => {
    const reports = await cluster().bootMachines()
    // Without a name a machine is led nowhere until its lease is known, which it may outrun; see below.
    const late = ['apps', 'api-no-sni']
    const failures = reports.flatMap(({ steps }) => steps.filter(({ ok, name }) => !ok && !late.includes(name)))
    expect(failures).toEqual([])
    const { vms, vlan } = lab()
    const whoAnswers = async (vm: string | undefined, servername: string): Promise<string> => {
      const asked = ['openssl', 's_client', '-connect', `${vlan.proxy}:6443`, ...serverNameOf(servername)]
      const [command = '', ...args] = inNamespace(namespaceOf(lab(), vm ?? ''), asked)
      const told = await run(command, args, { input: '' }).catch(String)
      return /subject=.*?CN ?= ?(\S+)/.exec(told)?.[1] ?? told
    }
    const [own, others] = ['api.lab.example.test', 'api.other.example.test']
    await until('the way of the second machine', async () =>
      (await whoAnswers(vms[1]?.name, '')) === others ? true : undefined,
    )
    await until('the way of the first machine', async () =>
      (await whoAnswers(vms[0]?.name, '')) === (await whoAnswers(vms[0]?.name, own)) ? true : undefined,
    )
    expect(await whoAnswers(vms[1]?.name, 'kubernetes')).toBe(others)
    expect(await whoAnswers(vms[0]?.name, others)).toBe(others)
    expect(await whoAnswers(vms[0]?.name, 'kubernetes')).toBe(await whoAnswers(vms[0]?.name, own))
  })

  /** The API of the second cluster, as far as a machine sees it before it sends anything: its certificate. */
  function startOtherApi(): Promise<ChildProcess> {
    const { key, cert } = selfSigned('api.other.example.test', Date.now() - 60_000)
    const script = `require('node:tls').createServer(${JSON.stringify({ key, cert })}, (socket) => socket.on('error', () => {}))
      .listen(${otherApiPort}, '${lab().pods.api}', () => console.log('listening'))`
    return startInNamespace(namespaceOf(lab(), 'control'), script)
  }
})

function serverNameOf(name: string): string[] {
  return name === '' ? ['-noservername'] : ['-servername', name]
}

function published(name: string): AnyObject {
  const at = (host: string) => `${host}.${name}.example.test`
  const route = (service: string, host: string) => ({
    service,
    servicePublishingStrategy: { type: 'Route', route: { hostname: at(host) } },
  })
  const services = [
    {
      service: 'APIServer',
      servicePublishingStrategy: { type: 'LoadBalancer', loadBalancer: { hostname: at('api') } },
    },
    route('OAuthServer', 'oauth'),
    route('Konnectivity', 'konnectivity'),
    route('Ignition', 'ignition'),
  ]
  return hostedCluster(namespace, name, { spec: { dns: { baseDomain: 'example.test' }, services } })
}

/** A Service of a control plane and the way to its server, which is no pod here. */
function reachable(controlPlane: string, name: string, address: string, port: number): AnyObject[] {
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: controlPlane },
    spec: { ports: [{ port }] },
  }
  return [service, endpointSlice(controlPlane, name, { address, port })]
}

/** The object of KubeVirt that says which machine has a MAC; the machine itself is one of the lab's. */
function machine(controlPlane: string, vm: { readonly name: string; readonly mac: string } | undefined): AnyObject {
  const interfaces = [{ name: 'vlan', macAddress: vm?.mac }]
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: vm?.name ?? '', namespace: controlPlane },
    spec: { domain: { devices: { interfaces } } },
  }
}
