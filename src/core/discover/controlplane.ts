import { at, listOf, portOf, textOf } from './hostedcluster.ts'

/** What the namespace of a control plane shows of how its services are reached. */
export interface ControlPlane {
  /** The host of a Route that HyperShift made there. */
  routeHost(name: string): string | undefined
  /** Where no Route can be, none is waited for. */
  readonly hasRoutes: boolean
  service(name: string): PublishedService | undefined
}

/** A Service as far as it is reached from outside. */
export interface PublishedService {
  readonly nodePort: number | undefined
  /** Name or address that its load balancer has given it. */
  readonly loadBalancer: string | undefined
}

/** For a control plane of which nothing is there yet. */
export const nothingYet: ControlPlane = { routeHost: () => undefined, hasRoutes: true, service: () => undefined }

export function routeHostOf(route: unknown): string | undefined {
  return textOf(at(route, 'spec.host'))
}

export function publishedServiceOf(service: unknown): PublishedService {
  const ingress = listOf(at(service, 'status.loadBalancer.ingress'))[0]
  return {
    nodePort: portOf(at(listOf(at(service, 'spec.ports'))[0], 'nodePort')),
    loadBalancer: textOf(at(ingress, 'hostname')) ?? textOf(at(ingress, 'ip')),
  }
}
