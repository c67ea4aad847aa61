import type { Binding } from './binding.ts'

/** A service of the control plane, as machines of the hosted cluster call it. */
export interface Service {
  readonly name: string
  readonly hostname: string
  readonly alternateHostnames?: string[]
  readonly port: number
  readonly service: string
  readonly servicePort: number
  readonly podNetwork?: boolean
  readonly default?: boolean
  /** Called by names that every cluster has. */
  readonly isByClient?: boolean
}

/** Names under which pods of the hosted cluster call its API; the node passes them on unchanged. */
export const inClusterNames: readonly string[] = ['kubernetes', 'openshift'].flatMap((name) =>
  ['', '.default', '.default.svc', '.default.svc.cluster.local'].map((suffix) => `${name}${suffix}`),
)

/**
 * What HyperShift's control plane offers, under the names it usually has: for an Infra without a HostedCluster. The pod
 * network gets the API and OAuth, which pods are meant to use; ignition and konnectivity are for the machines of the
 * VLAN alone. Connections that name no host are in-cluster clients of the API, which know it by address only.
 */
export function usualServices({ domain, apiServerService }: Binding): Service[] {
  const api = { port: 6443, service: apiServerService, servicePort: 6443 }
  const kubernetes = {
    ...api,
    hostname: `kubernetes.${domain}`,
    alternateHostnames: [...inClusterNames],
    isByClient: true,
  }
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
