/** How the services of a HostedCluster can be published so that machines on an isolated VLAN reach them. */
export const publishingVariants = ['loadbalancer', 'route', 'nodeport'] as const
export type PublishingVariant = (typeof publishingVariants)[number]

const labels = { APIServer: 'api', OAuthServer: 'oauth', Konnectivity: 'konnectivity', Ignition: 'ignition' } as const

/** `spec.services` for a cluster of this domain; it cannot be changed once the HostedCluster is made. */
export function recommendedServices(domain: string, variant: PublishingVariant) {
  return Object.entries(labels).map(([service, label]) => ({
    service,
    servicePublishingStrategy: strategyOf(`${label}.${domain}`, domain, variant, service === 'APIServer'),
  }))
}

function strategyOf(hostname: string, domain: string, variant: PublishingVariant, isApi: boolean) {
  if (variant === 'nodeport') return { type: 'NodePort', nodePort: { address: `cp.${domain}` } }
  if (variant === 'loadbalancer' && isApi) return { type: 'LoadBalancer', loadBalancer: { hostname } }
  return { type: 'Route', route: { hostname } }
}
