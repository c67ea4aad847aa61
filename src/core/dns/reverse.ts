import { type Cidr, netmask } from '../net/cidr.ts'
import { formatIpv4 } from '../net/ipv4.ts'

/** The name whose PTR record says what an address is called. */
export function reverseName(address: number): string {
  return `${formatIpv4(address).split('.').reverse().join('.')}.in-addr.arpa`
}

/**
 * The reverse zones that cover exactly this network. Reverse zones end at octets, so a network that does not is
 * covered by several of the next longer kind: a /20 by sixteen /24 zones, a /26 by 64 zones of one address each.
 */
export function reverseZones(cidr: Cidr): string[] {
  const octets = Math.ceil(cidr.prefixLength / 8)
  if (octets === 0) return ['in-addr.arpa']
  const zoneBits = octets * 8
  const first = cidr.network & netmask({ ...cidr, prefixLength: zoneBits })
  const step = 2 ** (32 - zoneBits)
  return Array.from({ length: 2 ** (zoneBits - cidr.prefixLength) }, (_, index) => {
    const labels = reverseName((first + index * step) >>> 0).split('.')
    return labels.slice(4 - octets).join('.')
  })
}
