import type { Access } from '../../src/lab/kubernetes/access/access.ts'
import { sleep, systemClock } from '../../src/runtime/time/clock.ts'

/** Objects as people write them, and what tests, the kubelet and the engines do to them on a real API server. */

const group = '/apis/hostedcluster.densityops.com/v1alpha1'

export interface AnyObject {
  apiVersion?: string
  kind?: string
  metadata: {
    name: string
    namespace?: string
    uid?: string
    generation?: number
    resourceVersion?: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
    ownerReferences?: { uid: string; name: string }[]
    finalizers?: string[]
  }
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects of all kinds.
  spec?: any
  // biome-ignore lint/suspicious/noExplicitAny: likewise.
  status?: any
  data?: Record<string, string>
}

interface ToldEvent {
  readonly type: string
  readonly reason: string
  readonly note: string
  readonly regarding: { readonly kind: string; readonly name: string }
}

export const usableNetwork = JSON.stringify({
  cniVersion: '0.3.1',
  name: 'vlan100',
  plugins: [{ type: 'bridge', capabilities: { ips: true }, ipam: { type: 'static' } }],
})

export function attachment(namespace: string, config = usableNetwork): AnyObject {
  return {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name: 'vlan100', namespace },
    spec: { config },
  }
}

/** An Infra of everything, with a control plane in its own namespace. */
export function infra(
  namespace: string,
  name = 'c1',
  changes: { proxy?: object; dhcp?: object; spec?: object } = {},
): AnyObject {
  return {
    apiVersion: 'hostedcluster.densityops.com/v1alpha1',
    kind: 'Infra',
    metadata: { name, namespace },
    spec: {
      networkConfig: { cidr: '192.168.100.0/23', gateway: '192.168.100.1', networkAttachmentDefinition: 'vlan100' },
      infraComponents: {
        dhcp: {
          serverIP: '192.168.100.2',
          rangeStart: '192.168.100.100',
          rangeEnd: '192.168.100.200',
          ...changes.dhcp,
        },
        dns: { serverIP: '192.168.100.3', clusterName: name, baseDomain: 'example.com' },
        proxy: { serverIP: '192.168.100.10', controlPlaneNamespace: namespace, ...changes.proxy },
      },
      ...changes.spec,
    },
  }
}

/** What a node would report of the pods of a Service. */
export function endpointSlice(
  namespace: string,
  service: string,
  { address, port, portName = '', ready = true }: { address: string; port: number; portName?: string; ready?: boolean },
): AnyObject {
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${service}-1`, namespace, labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready } }],
    ports: [{ name: portName, port, protocol: 'TCP' }],
  }
  return slice
}

/** What the DHCP engine notes of a machine. */
export function lease(namespace: string, server: string, address: string, spec: object): AnyObject {
  const times = { start: '2026-01-01T00:00:00Z', expires: '2036-01-01T00:00:00Z' }
  return {
    apiVersion: 'hostedcluster.densityops.com/v1alpha1',
    kind: 'DHCPLease',
    metadata: { name: `${server}-${address.replaceAll('.', '-')}`, namespace },
    spec: { server, address, state: 'Active', sequence: 1, ...times, ...spec },
  }
}

export function worldOf(plane: Access) {
  const paths: Record<string, string> = {
    infras: group,
    infraclusterattachments: group,
    dhcpservers: group,
    dnsservers: group,
    proxyservers: group,
    dhcpleases: group,
    deployments: '/apis/apps/v1',
    services: '/api/v1',
    serviceaccounts: '/api/v1',
    pods: '/api/v1',
    configmaps: '/api/v1',
    events: '/apis/events.k8s.io/v1',
    persistentvolumeclaims: '/api/v1',
    roles: '/apis/rbac.authorization.k8s.io/v1',
    rolebindings: '/apis/rbac.authorization.k8s.io/v1',
    networkpolicies: '/apis/networking.k8s.io/v1',
    endpointslices: '/apis/discovery.k8s.io/v1',
    virtualingresses: group,
    ingresses: '/apis/networking.k8s.io/v1',
    httproutes: '/apis/gateway.networking.k8s.io/v1',
  }
  const path = (plural: string, namespace: string, name = ''): string =>
    `${paths[plural]}/namespaces/${namespace}/${plural}${name && `/${name}`}`

  async function apply(...objects: readonly AnyObject[]): Promise<void> {
    const list = { apiVersion: 'v1', kind: 'List', items: objects }
    await plane.kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input: JSON.stringify(list) })
  }

  async function get(plural: string, namespace: string, name: string): Promise<AnyObject | undefined> {
    const answer = await plane.request<AnyObject>(path(plural, namespace, name))
    return answer.status === 200 ? answer.body : undefined
  }

  async function list(plural: string, namespace: string): Promise<AnyObject[]> {
    return (await plane.request<{ items: AnyObject[] }>(path(plural, namespace))).body.items
  }

  async function events(namespace: string): Promise<ToldEvent[]> {
    return (await plane.request<{ items: ToldEvent[] }>(path('events', namespace))).body.items
  }

  /** An event of that reason, about an object of that name and kind if it is said which. */
  async function told(namespace: string, reason: string, about: { name?: string; kind?: string } = {}): Promise<void> {
    const { name, kind } = about
    const isIt = ({ reason: given, regarding }: ToldEvent) =>
      given === reason && regarding.name === (name ?? regarding.name) && regarding.kind === (kind ?? regarding.kind)
    await until(`event ${reason}`, async () => (await events(namespace)).some(isIt))
  }

  async function remove(plural: string, namespace: string, name: string): Promise<void> {
    await plane.request(path(plural, namespace, name), { method: 'DELETE' })
  }

  /** The object once it is as the test wants it; a timeout shows how it was instead. */
  async function eventually(
    plural: string,
    namespace: string,
    name: string,
    isSo: (object: AnyObject) => boolean = () => true,
  ): Promise<AnyObject> {
    let last: AnyObject | undefined
    await until(
      `${plural} ${namespace}/${name}`,
      async () => {
        last = await get(plural, namespace, name)
        return last !== undefined && isSo(last)
      },
      () => JSON.stringify(last?.status?.conditions ?? last?.spec ?? last),
    )
    if (!last) throw new Error('gone')
    return last
  }

  async function gone(plural: string, namespace: string, name: string): Promise<void> {
    const isGone = async (): Promise<boolean> => !(await get(plural, namespace, name))
    await until(`${plural} ${namespace}/${name} is gone`, isGone, () => '', garbageCollectionMs)
  }

  /** Does what scheduler, kubelet, Multus and engine would do for all components of a namespace. */
  async function bringUp(
    namespace: string,
    names: readonly (readonly [plural: string, name: string])[],
  ): Promise<void> {
    for (const [plural, name] of names) {
      await until(`pod of ${name}`, async () => (await podsOf(namespace, name)).length > 0)
      for (const pod of await podsOf(namespace, name)) await runPod(plane, pod)
      await reportAsEngine(plural, namespace, name)
    }
  }

  /** Says as the engine that it serves, and whatever else it has to say. */
  async function reportAsEngine(plural: string, namespace: string, name: string, more: object = {}): Promise<void> {
    const { apiVersion, kind, metadata } = await eventually(plural, namespace, name)
    const status = { servingGeneration: metadata.generation, ...more }
    await plane.kubectl(['apply', '--server-side', '--subresource=status', '--field-manager=oooi-engine', '-f', '-'], {
      input: JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, status }),
    })
  }

  async function podsOf(namespace: string, name: string): Promise<AnyObject[]> {
    const pods = await list('pods', namespace)
    return pods.filter(({ metadata }) => metadata.labels?.['hostedcluster.densityops.com'] === name)
  }

  return { apply, get, list, events, told, remove, eventually, gone, bringUp, reportAsEngine, podsOf }
}

async function runPod(plane: Access, { metadata }: AnyObject): Promise<void> {
  const { name, namespace = '', annotations = {} } = metadata
  const networks = JSON.parse(annotations['k8s.v1.cni.cncf.io/networks'] ?? '[]').map(
    ({ name: network, namespace: of, ips }: { name: string; namespace: string; ips: string[] }) => ({
      name: `${of}/${network}`,
      ips: ips.map((ip) => ip.split('/')[0]),
      mac: '02:00:00:00:00:aa',
    }),
  )
  const patch = (body: object, ...more: string[]) =>
    plane.kubectl(['patch', 'pod', name, '-n', namespace, '--type=merge', '-p', JSON.stringify(body), ...more])
  await patch({ metadata: { annotations: { 'k8s.v1.cni.cncf.io/network-status': JSON.stringify(networks) } } })
  const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
    type,
    status: 'True',
  }))
  await patch({ status: { phase: 'Running', conditions } }, '--subresource=status')
}

export function condition(object: AnyObject | undefined, type: string) {
  const conditions: { type: string; status: string; reason: string; message: string; lastTransitionTime: string }[] =
    object?.status?.conditions ?? []
  return conditions.find((entry) => entry.type === type)
}

export const is = (type: string, status: string, reason?: string) => (object: AnyObject) => {
  const found = condition(object, type)
  return found?.status === status && (reason === undefined || found.reason === reason)
}

/** The garbage collector looks for new kinds every half minute only. */
const garbageCollectionMs = 90_000

export async function until(
  what: string,
  test: () => Promise<boolean>,
  show: () => string = () => '',
  timeoutMs = 60_000,
): Promise<void> {
  const end = Date.now() + timeoutMs
  while (!(await test())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what} ${show()}`)
    await sleep(systemClock, 30)
  }
}
