import type { ControlPlane } from './controlplane.ts'

/** How each service is published, from the four strategies in the order API, OAuth, Konnectivity, Ignition. */
export function hostedCluster(
  strategies: readonly (object | undefined)[],
  changes: { spec?: object; status?: object } = {},
) {
  const names = ['APIServer', 'OAuthServer', 'Konnectivity', 'Ignition']
  return {
    apiVersion: 'hypershift.openshift.io/v1beta1',
    kind: 'HostedCluster',
    metadata: { name: 'foo', namespace: 'clusters' },
    spec: {
      platform: { type: 'KubeVirt', kubevirt: {} },
      dns: { baseDomain: 'example.com' },
      services: strategies.flatMap((servicePublishingStrategy, index) =>
        servicePublishingStrategy ? [{ service: names[index], servicePublishingStrategy }] : [],
      ),
      ...changes.spec,
    },
    ...(changes.status ? { status: changes.status } : {}),
  }
}

export const route = (hostname?: string) => ({ type: 'Route', ...(hostname ? { route: { hostname } } : {}) })
export const loadBalancer = (hostname?: string) => ({
  type: 'LoadBalancer',
  ...(hostname ? { loadBalancer: { hostname } } : {}),
})
export const nodePort = (address: string, port?: number) => ({ type: 'NodePort', nodePort: { address, port } })

/** The recommended way: everything under names of the cluster's own domain. */
export const recommended = [
  loadBalancer('api.foo.example.com'),
  route('oauth.foo.example.com'),
  route('konnectivity.foo.example.com'),
  route('ignition.foo.example.com'),
]

export function controlPlane(
  routes: Readonly<Record<string, string>> = {},
  published: Readonly<Record<string, { nodePort?: number; loadBalancer?: string }>> = {},
  hasRoutes = true,
): ControlPlane {
  return {
    hasRoutes,
    routeHost: (name) => (Object.hasOwn(routes, name) ? routes[name] : undefined),
    service: (name) => {
      const found = Object.hasOwn(published, name) ? published[name] : undefined
      return found && { nodePort: found.nodePort, loadBalancer: found.loadBalancer }
    },
  }
}
