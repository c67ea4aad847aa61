import type { HostedCluster } from './hostedcluster.ts'

/** A service of a control plane that nodes call, and the objects HyperShift makes for it. */
export interface ControlPlaneService {
  /** As `spec.services` of the HostedCluster calls it. */
  readonly name: 'APIServer' | 'OAuthServer' | 'Konnectivity' | 'Ignition'
  /** As its backend in the proxy is called. */
  readonly backend: string
  readonly service: string
  readonly port: number
  readonly route: string
  /** Port of the load balancer, where HyperShift has one for it. */
  readonly loadBalancerPort?: number
  /** Where the status tells what nodes were told. */
  readonly reported?: keyof HostedCluster['reported']
}

export const services: readonly ControlPlaneService[] = [
  {
    name: 'APIServer',
    backend: 'kube-apiserver',
    service: 'kube-apiserver',
    port: 6443,
    route: 'kube-apiserver',
    loadBalancerPort: 6443,
    reported: 'api',
  },
  {
    name: 'OAuthServer',
    backend: 'oauth-openshift',
    service: 'oauth-openshift',
    port: 6443,
    route: 'oauth',
    reported: 'oauth',
  },
  {
    name: 'Ignition',
    backend: 'ignition-server',
    service: 'ignition-server-proxy',
    port: 443,
    route: 'ignition-server',
    reported: 'ignition',
  },
  {
    name: 'Konnectivity',
    backend: 'konnectivity-server',
    service: 'konnectivity-server',
    port: 8091,
    route: 'konnectivity-server',
    loadBalancerPort: 8091,
  },
]

/** There only while HyperShift forwards metrics; nodes then call it by its Route. */
export const metricsProxy = { backend: 'metrics-proxy', service: 'metrics-proxy', port: 443, route: 'metrics-proxy' }
