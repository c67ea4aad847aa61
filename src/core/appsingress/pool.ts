import { broadcastOf, parseCidr } from '../net/cidr.ts'
import { parseIpv4 } from '../net/ipv4.ts'
import { type AddressRange, parseRange, rangeContains } from '../net/range.ts'

/** Ranges or networks, as MetalLB's pools and `ipAddressPoolRange` write them. IPv6 and what cannot be read is left out. */
export function rangesOf(texts: readonly string[]): AddressRange[] {
  return texts.flatMap((text) => {
    const cidr = parseCidr(text.trim())
    if (cidr) return [{ first: cidr.network, last: broadcastOf(cidr) }]
    return text.includes('-') ? (parseRange(text) ?? []) : []
  })
}

export function isInRanges(ranges: readonly AddressRange[], addressText: string): boolean {
  const address = parseIpv4(addressText)
  return address !== undefined && ranges.some((range) => rangeContains(range, address))
}
