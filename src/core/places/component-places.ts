import { serverAddressesOf } from '../../api/network.ts'
import { listenerPlans } from '../proxy/listeners.ts'
import { routesOf } from '../proxy/routes.ts'
import type { Components } from '../translate/translate.ts'
import { everybody, type Place } from './place.ts'

const dhcpServerPort = 67

/**
 * Where the components of an Infra listen, in one process on one host. What another program serves (Envoy, CoreDNS) is
 * not among them: it binds for itself.
 */
export function placesOf(components: Components, podAddresses: readonly string[]): readonly Place[] {
  const { dhcp, dns, proxy } = components
  return [
    ...(dhcp ? dhcpPlaces(dhcp) : []),
    ...(dns && !isServedByCoredns(dns) ? dnsPlaces(dns, podAddresses) : []),
    ...(proxy && !isServedByEnvoy(proxy) ? proxyPlaces(proxy, podAddresses) : []),
  ]
}

export function isServedByCoredns({ spec }: NonNullable<Components['dns']>): boolean {
  return spec.engine === 'coredns'
}

export function isServedByEnvoy({ spec }: NonNullable<Components['proxy']>): boolean {
  return spec.engine === 'envoy'
}

function dhcpPlaces({ spec }: NonNullable<Components['dhcp']>): Place[] {
  const addresses = [...serverAddressesOf(spec.networkConfig).slice(0, 1), everybody]
  return addresses.map((address) => ({ protocol: 'udp', address, port: dhcpServerPort }))
}

export function dnsPlaces({ spec }: NonNullable<Components['dns']>, podAddresses: readonly string[]): Place[] {
  const port = spec.networkConfig.dnsPort
  const addresses = [...new Set([...serverAddressesOf(spec.networkConfig), ...podAddresses])]
  return addresses.flatMap((address): Place[] => [
    { protocol: 'udp', address, port },
    { protocol: 'tcp', address, port },
  ])
}

export function proxyPlaces(proxy: NonNullable<Components['proxy']>, podAddresses: readonly string[]): Place[] {
  return listenerPlans(proxy, routesOf(proxy), podAddresses).map(({ address, routes }) => ({
    protocol: 'tcp',
    address,
    port: routes.port,
  }))
}
