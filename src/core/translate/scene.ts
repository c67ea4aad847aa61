import type { Infra } from '../../api/infra.ts'
import { serverAddressesOf } from '../../api/network.ts'
import type { ProxyServer } from '../../api/proxyserver.ts'
import type { Binding } from './binding.ts'
import { type Naming, namingOf } from './naming.ts'

/** All that the three components are made from, with what several of them need worked out once. */
export interface Scene {
  readonly infra: Infra
  readonly bindings: readonly Binding[]
  /** Where the pod network reaches the proxy, if that is known: an address or a name. */
  readonly internalProxy: string | undefined
  /** Addresses on the VLAN; empty for a component that does not run. */
  readonly dhcpAddresses: readonly string[]
  readonly dnsAddresses: readonly string[]
  /** Also of a proxy that is switched off but has an address: one that runs elsewhere, which names point to. */
  readonly proxyAddresses: readonly string[]
  readonly proxyRuns: boolean
  /** The proxy as it was asked for last. */
  readonly served: ProxyServer | undefined
  readonly naming: Naming
}

export function sceneOf(
  infra: Infra,
  bindings: readonly Binding[],
  internalProxyAddress: string | undefined,
  served: ProxyServer | undefined,
): Scene {
  const { dhcp, dns, proxy } = infra.spec.infraComponents
  return {
    infra,
    bindings,
    internalProxy: proxy?.internalProxyService ?? internalProxyAddress,
    dhcpAddresses: dhcp?.enabled ? serverAddressesOf(dhcp) : [],
    dnsAddresses: dns?.enabled ? serverAddressesOf(dns) : [],
    proxyAddresses: proxy ? serverAddressesOf(proxy) : [],
    proxyRuns: proxy?.enabled === true,
    served,
    naming: namingOf(bindings, served),
  }
}

/** Name and place of a component: `<infra>-dhcp` beside its Infra. */
export function childMetadata(infra: Infra, suffix: 'dhcp' | 'dns' | 'proxy') {
  const { name, namespace } = infra.metadata
  return { name: `${name}-${suffix}`, ...(namespace === undefined ? {} : { namespace }) }
}

/** How the pods of the components get onto the VLAN, whichever of the two ways it is written. */
export function attachmentOf({ metadata, spec: { networkConfig } }: Infra): {
  networkAttachmentName?: string
  networkAttachmentNamespace?: string
} {
  const name = networkConfig.attachment?.name ?? networkConfig.networkAttachmentDefinition
  if (name === undefined) return {}
  const namespace =
    networkConfig.attachment?.namespace ?? networkConfig.networkAttachmentNamespace ?? metadata.namespace
  return {
    networkAttachmentName: name,
    ...(namespace === undefined ? {} : { networkAttachmentNamespace: namespace }),
  }
}

/** One address is written as serverIP, two as serverIPs. */
export function serverFields(addresses: readonly string[]) {
  return addresses.length > 1 ? { serverIPs: [...addresses] } : { serverIP: addresses[0] }
}
