import type { Infra } from '../../api/infra.ts'
import type { ProxyBackend, ProxyServerInput } from '../../api/proxyserver.ts'
import type { AppsIngress, Binding } from './binding.ts'

export type BackendInput = ProxyServerInput['spec']['backends'][number]
type Target = NonNullable<NonNullable<Infra['spec']['infraComponents']['proxy']>['targets']>[number]

/** A service of the control plane, as machines of the hosted cluster call it. */
interface Endpoint {
  readonly name: string
  readonly hostname: string
  readonly alternateHostnames?: string[]
  readonly port: number
  readonly service: string
  readonly servicePort: number
  readonly podNetwork?: boolean
  readonly default?: boolean
}

/** Names under which pods of the hosted cluster call its API; the node passes them on unchanged. */
const inClusterNames = ['kubernetes', 'openshift'].flatMap((name) =>
  ['', '.default', '.default.svc', '.default.svc.cluster.local'].map((suffix) => `${name}${suffix}`),
)

/**
 * What HyperShift's control plane offers. The pod network gets the API and OAuth, which pods are meant to use;
 * ignition and konnectivity are for the machines of the VLAN alone. Connections that name no host are in-cluster
 * clients of the API, which know it by address only.
 */
function endpointsOf({ domain, apiServerService }: Binding): Endpoint[] {
  const api = { port: 6443, service: apiServerService, servicePort: 6443 }
  const kubernetes = { ...api, hostname: `kubernetes.${domain}`, alternateHostnames: inClusterNames }
  return [
    { ...api, name: 'kube-apiserver', hostname: `api.${domain}`, podNetwork: true, default: true },
    { ...api, name: 'kube-apiserver-internal', hostname: `api-int.${domain}`, podNetwork: true },
    { ...kubernetes, name: 'kube-apiserver-kubernetes-hostname', port: 443 },
    { ...kubernetes, name: 'kube-apiserver-kubernetes-hostname-6443' },
    {
      name: 'oauth-openshift',
      hostname: `oauth.${domain}`,
      port: 443,
      service: 'oauth-openshift',
      servicePort: 6443,
      podNetwork: true,
    },
    {
      name: 'ignition-server',
      hostname: `ignition.${domain}`,
      port: 443,
      service: 'ignition-server-proxy',
      servicePort: 443,
    },
    {
      name: 'konnectivity-server',
      hostname: `konnectivity.${domain}`,
      port: 443,
      service: 'konnectivity-server',
      servicePort: 8091,
    },
  ]
}

/** The backends every hosted cluster has, then its applications. */
export function backendsOf(binding: Binding, targets: readonly Target[]): BackendInput[] {
  const controlPlane = endpointsOf(binding).map(({ service, servicePort, ...backend }): BackendInput => {
    const target = targetOf(backend.name, targets)
    if (target) return { ...backend, targetAddress: target.address, targetPort: target.port }
    return {
      ...backend,
      targetService: service,
      targetNamespace: binding.controlPlaneNamespace,
      targetPort: servicePort,
    }
  })
  return binding.apps ? [...controlPlane, appsBackend(binding.apps, targets)] : controlPlane
}

/** The API has several backends; a target for the first holds for all that have none of their own. */
function targetOf(name: string, targets: readonly Target[]): Target | undefined {
  const own = targets.find((target) => target.name === name)
  if (own || !name.startsWith('kube-apiserver-')) return own
  return targets.find((target) => target.name === 'kube-apiserver')
}

export const appsBackendName = 'apps-https'

/**
 * The VLAN reaches applications at the ingress itself; this is the way for the pod network. Only TLS has a name to
 * route by, so there is none for plain HTTP.
 */
function appsBackend(apps: AppsIngress, targets: readonly Target[]): BackendInput {
  const target = targetOf(appsBackendName, targets)
  return {
    name: appsBackendName,
    hostname: `*.${apps.domain}`,
    port: apps.httpsPort,
    targetAddress: target?.address ?? apps.address,
    targetPort: target?.port ?? apps.httpsPort,
    podNetwork: true,
  }
}

/** A backend that the user added, at the target that the user gave for it, if any. */
export function withTarget(backend: ProxyBackend, targets: readonly Target[]): BackendInput {
  const target = targets.find(({ name }) => name === backend.name)
  if (!target) return backend
  const { targetService, targetNamespace, ...rest } = backend
  return { ...rest, targetAddress: target.address, targetPort: target.port }
}
