import type { Infra } from '../../api/infra.ts'
import type { ProxyBackend, ProxyServerInput } from '../../api/proxyserver.ts'
import type { Endpoint } from '../discover/endpoints.ts'
import { isAddress } from '../proxy/backend.ts'
import type { AppsIngress, Binding } from './binding.ts'
import { inClusterNames, type Service, usualServices } from './usual.ts'

export type BackendInput = ProxyServerInput['spec']['backends'][number]
type Target = NonNullable<NonNullable<Infra['spec']['infraComponents']['proxy']>['targets']>[number]

/** What holds for all backends of one cluster. */
export interface BackendSettings {
  readonly nameOf: (backend: string) => string
  /** Other clusters are on the same proxy. */
  readonly isShared: boolean
  readonly targets: readonly Target[]
  /** Of the proxy itself, on the VLAN. */
  readonly proxyAddresses: readonly string[]
}

/** The backends every hosted cluster has, then its applications. */
export function backendsOf(binding: Binding, settings: BackendSettings): BackendInput[] {
  const { nameOf, isShared, targets, proxyAddresses } = settings
  const services = binding.endpoints
    ? publishedServices(binding, binding.endpoints, proxyAddresses)
    : usualServices(binding)
  const controlPlane = services.map((offered): BackendInput => {
    const { service, servicePort, isByClient, ...backend } = isShared ? byClient(offered, services) : offered
    const target = targetOf(backend.name, nameOf, targets)
    return {
      ...backend,
      name: nameOf(backend.name),
      ...(isShared && isByClient ? clientsOf(binding) : {}),
      ...(target
        ? { targetAddress: target.address, targetPort: target.port }
        : { targetService: service, targetNamespace: binding.controlPlaneNamespace, targetPort: servicePort }),
    }
  })
  return binding.apps ? [...controlPlane, ...appsBackends(binding.apps, nameOf, targets)] : controlPlane
}

function clientsOf({ machineNetworks, controlPlaneNamespace }: Binding): Partial<BackendInput> {
  if (machineNetworks === undefined) return { clientCluster: controlPlaneNamespace }
  return machineNetworks.length === 0 ? {} : { sourcePrefixRanges: [...machineNetworks] }
}

const apiBackend = 'kube-apiserver'
const forPods = [apiBackend, 'oauth-openshift']

/**
 * What a HostedCluster publishes. In-cluster clients of the API come to its port under names of their own, or without
 * any. One that is called by an address can only be told by its port; if that address is not the proxy's, nodes do not
 * come here for it.
 */
function publishedServices(
  { apiServerService }: Binding,
  endpoints: readonly Endpoint[],
  proxyAddresses: readonly string[],
): Service[] {
  return endpoints.flatMap(({ name, hosts, port, service, servicePort }): Service[] => {
    const names = hosts.filter((host) => !isAddress(host))
    const own = hosts.find((host) => proxyAddresses.includes(host))
    const [hostname = own, ...others] = names
    if (hostname === undefined) return []
    const isApi = name === apiBackend
    const reached = { port, service: isApi ? apiServerService : service, servicePort }
    const backend: Service = {
      ...reached,
      name,
      hostname,
      ...(others.length > 0 ? { alternateHostnames: others } : {}),
      ...(forPods.includes(name) ? { podNetwork: true } : {}),
      ...(isApi || own !== undefined ? { default: true } : {}),
    }
    const [kubernetes = '', ...aliases] = inClusterNames
    const inCluster = { ...reached, hostname: kubernetes, alternateHostnames: aliases, isByClient: true }
    return isApi ? [backend, { ...inCluster, name: 'kube-apiserver-kubernetes-hostname' }] : [backend]
  })
}

/**
 * Where clusters share a proxy, who names no host can be told by its address alone: so that is left to the backend that
 * is for the clients of one cluster, and the one with the full name stays open to everybody.
 */
function byClient(offered: Service, services: readonly Service[]): Service {
  const onSamePort = services.filter(({ port }) => port === offered.port)
  if (offered.isByClient) return { ...offered, default: onSamePort.some((other) => other.default) }
  return onSamePort.some((other) => other.isByClient) ? { ...offered, default: false } : offered
}

/** The API has several backends; a target for the first holds for all that have none of their own. */
function targetOf(name: string, nameOf: (name: string) => string, targets: readonly Target[]): Target | undefined {
  const own = targets.find((target) => target.name === nameOf(name))
  if (own || !name.startsWith(`${apiBackend}-`)) return own
  return targets.find((target) => target.name === nameOf(apiBackend))
}

/** The VLAN reaches applications at the ingress itself; this is the way for the pod network. */
function appsBackends(
  { domain, address, httpPort, httpsPort }: AppsIngress,
  nameOf: (name: string) => string,
  targets: readonly Target[],
): BackendInput[] {
  const ways = [
    { name: 'apps-https', port: httpsPort },
    { name: 'apps-http', port: httpPort, protocol: 'HTTP' as const },
  ]
  return ways.map(({ name, port, ...way }) => {
    const target = targetOf(name, nameOf, targets)
    return {
      ...way,
      name: nameOf(name),
      hostname: `*.${domain}`,
      port,
      targetAddress: target?.address ?? address,
      targetPort: target?.port ?? port,
      podNetwork: true,
    }
  })
}

/** A backend that the user added, at the target that the user gave for it, if any. */
export function withTarget(backend: ProxyBackend, targets: readonly Target[]): BackendInput {
  const target = targets.find(({ name }) => name === backend.name)
  if (!target) return backend
  const { targetService, targetNamespace, ...rest } = backend
  return { ...rest, targetAddress: target.address, targetPort: target.port }
}
