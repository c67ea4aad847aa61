import { serverAddressesOf } from '../../api/network.ts'
import type { ProxyServer } from '../../api/proxyserver.ts'
import { type PortRoutes, type ProxyRoutes, podSideOf } from './routes.ts'

/** Which network a listener is on; the pod network gets only the backends meant for it. */
export type Side = 'vlan' | 'pod'

export interface ListenerPlan {
  readonly address: string
  readonly side: Side
  readonly routes: PortRoutes
}

/** Every port on the VLAN, and on the pod network those that pods are meant to reach. One address on both is the VLAN's. */
export function listenerPlans(
  proxy: ProxyServer,
  routes: ProxyRoutes,
  podAddresses: readonly string[],
): readonly ListenerPlan[] {
  const ports = [...routes.ports.values()]
  const podPorts = ports.map(podSideOf).filter((portRoutes) => portRoutes !== undefined)
  const plans: ListenerPlan[] = [
    ...podAddresses.flatMap((address) => podPorts.map((routes) => ({ address, side: 'pod' as const, routes }))),
    ...serverAddressesOf(proxy.spec.networkConfig).flatMap((address) =>
      ports.map((routes) => ({ address, side: 'vlan' as const, routes })),
    ),
  ]
  // Where one place has two plans, the later counts.
  return [...new Map(plans.map((plan) => [`${plan.address}:${plan.routes.port}`, plan])).values()]
}
