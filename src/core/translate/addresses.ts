import { type Cidr, cidrContains } from '../net/cidr.ts'
import { parseIpv4 } from '../net/ipv4.ts'
import { type AddressRange, parseRange, rangeContains } from '../net/range.ts'
import type { Problem } from '../result.ts'
import type { Scene } from './scene.ts'

/** Addresses on the VLAN that somebody has for good, so that DHCP must give them to nobody. */
export function fixedAddresses(scene: Scene, network: Cidr): string[] {
  const { networkConfig, infraComponents } = scene.infra.spec
  const { dhcp, proxy } = infraComponents
  const fixed = [
    networkConfig.gateway,
    ...scene.dhcpAddresses,
    ...scene.dnsAddresses,
    ...scene.proxyAddresses,
    ...scene.bindings.map(({ apps }) => apps?.address),
    ...(networkConfig.dnsServers ?? []),
    ...(proxy?.targets ?? []).map(({ address }) => address),
    ...(proxy?.backends ?? []).map(({ targetAddress }) => targetAddress),
  ]
  const reserved = (dhcp?.reservations ?? []).map(({ address }) => address)
  const inside = fixed.filter((text) => {
    const address = parseIpv4(text ?? '')
    return text !== undefined && address !== undefined && cidrContains(network, address) && !reserved.includes(text)
  })
  return [...new Set(inside)].flatMap((text) => text ?? [])
}

/** A server inside the range is a mistake in one of the two, unless it is excluded from the range by name. */
export function serversInRange(scene: Scene): Problem[] {
  const { dhcp } = scene.infra.spec.infraComponents
  const range = parseRange(`${dhcp?.rangeStart}-${dhcp?.rangeEnd}`)
  if (!range) return []
  const excluded = (dhcp?.exclusions ?? []).flatMap((text) => parseRange(text) ?? [])
  return serversOf(scene)
    .filter(({ address }) => isGivenOut(address, range, excluded))
    .map(({ name, address }) => ({
      reason: 'AddressTaken' as const,
      field: `spec.infraComponents.${name}.serverIP`,
      message: `"${address}" lies in the range of DHCP (${dhcp?.rangeStart} to ${dhcp?.rangeEnd}): move one of them, or exclude it`,
    }))
}

/** Nobody can be given the address of a server for ever. */
export function reservedServers(scene: Scene): Problem[] {
  const servers = serversOf(scene)
  return (scene.infra.spec.infraComponents.dhcp?.reservations ?? []).flatMap(({ address }, index): Problem[] => {
    const server = servers.find((candidate) => candidate.address === address)
    if (!server) return []
    return [
      {
        reason: 'AddressTaken',
        field: `spec.infraComponents.dhcp.reservations[${index}].address`,
        message: `"${address}" is the address of infraComponents.${server.name}: reserve another`,
      },
    ]
  })
}

function serversOf(scene: Scene): { readonly name: string; readonly address: string }[] {
  const servers = { dhcp: scene.dhcpAddresses, dns: scene.dnsAddresses, proxy: scene.proxyAddresses }
  return Object.entries(servers).flatMap(([name, addresses]) => addresses.map((address) => ({ name, address })))
}

function isGivenOut(text: string, range: AddressRange, excluded: readonly AddressRange[]): boolean {
  const address = parseIpv4(text)
  if (address === undefined || !rangeContains(range, address)) return false
  return !excluded.some((exclusion) => rangeContains(exclusion, address))
}
