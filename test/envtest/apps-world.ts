import { beforeAll, expect } from 'vitest'
import { hurriedClock } from '../chaos/hurried-clock.ts'
import { installKinds, installMultus } from './installed-kinds.ts'
import { type AnyObject, endpointSlice, infra, worldOf } from './operator-world.ts'
import { hostedCluster, installHyperShift, makeControlPlane } from './standins/hypershift.ts'
import { advertisement, assign, installMetalLB, pool } from './standins/metallb.ts'
import { useOwnControlPlane } from './use.ts'
import { useOperator } from './use-operator.ts'

const mostScenes = 32
const clusterOf = (number: number) => ({ namespace: `tenant${number}`, name: 'c1' })
const serverNames = Array.from({ length: mostScenes }, (_, number) => `kube-apiserver.tenant${number}-c1.svc`)

/** Faster than life: looks come a second apart at first, and a Service is given up after twelve. */
const clock = hurriedClock(5)

interface SceneOptions {
  readonly apps?: object
  readonly kubeconfig?: string | undefined
  readonly cluster?: object
  readonly from?: string
}

/** The operator on one real API server, and another that stands for all hosted clusters. */
export function useAppsWorld({ withMetalLB }: { readonly withMetalLB: boolean }) {
  const plane = useOwnControlPlane({ audited: true, prepare: [installKinds, installMultus, installHyperShift] })
  const hosted = useOwnControlPlane({
    audited: true,
    names: serverNames,
    prepare: withMetalLB ? [installMetalLB] : [],
  })
  const world = () => worldOf(plane())
  const there = () => worldOf(hosted())
  let used = 0

  useOperator(plane, {
    clock,
    dial: () => ({ host: '127.0.0.1', port: Number(new URL(hosted().url).port) }),
  })
  beforeAll(async () => {
    await there().apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'openshift-ingress' } })
    if (withMetalLB) await there().apply(appsPool, advertisement('vlan', ['apps']))
  })

  /** An Infra with a HostedCluster of its own, whose Service has a name of its own in the one hosted cluster here. */
  async function scene(options: SceneOptions = {}) {
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
    const change = (apps: object) => world().apply(wanted(apps))
    return { cluster, from, controlPlane, service, status, madeService, touch, change }
  }

  /** One that is Ready. */
  async function readyScene(options: SceneOptions = {}) {
    const found = await scene(options)
    await there().apply(routerEndpoints(found.service))
    await assign(hosted(), await found.madeService(), '192.168.100.241')
    await found.status('Ready')
    return found
  }

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

  return { plane, hosted, world, there, scene, readyScene, leadsTo }
}

export const appsPool = pool('apps', ['192.168.100.240-192.168.100.250'])

/** A router that answers for this Service. */
export const routerEndpoints = (service: string): AnyObject =>
  endpointSlice('openshift-ingress', service, { address: '10.132.0.5', port: 443, portName: 'https' })

export function isPhase(object: AnyObject, phase: string, reason?: string): boolean {
  const status = object.status?.appsIngressStatus
  return status?.phase === phase && (reason === undefined || status.reason === reason)
}

export function isKept({ metadata }: AnyObject): boolean {
  return metadata.finalizers?.includes('hostedcluster.densityops.com/apps-ingress') === true
}
