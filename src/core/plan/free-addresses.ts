import { broadcastOf, type Cidr, isHostAddress } from '../net/cidr.ts'
import { formatIpv4, parseIpv4 } from '../net/ipv4.ts'
import { type AddressRange, parseRange, rangeContains } from '../net/range.ts'

/** Where the three servers of an Infra are. */
export interface Layout {
  readonly dhcp: string
  readonly dns: string
  readonly proxy: string
}

/** The upper half of the network is lent to machines, where nobody says otherwise. */
export function usualRange(cidr: Cidr): AddressRange | undefined {
  if (cidr.prefixLength > 28) return undefined
  const last = broadcastOf(cidr) - 1
  return { first: cidr.network + 2 ** (31 - cidr.prefixLength), last }
}

/**
 * Addresses for DHCP, DNS and proxy: those that they have, as long as these are free; else the lowest free ones from
 * the beginning of the network, in this order. Undefined where three cannot be had.
 */
export function chooseServers(cidr: Cidr, taken: readonly string[], current: Layout | undefined): Layout | undefined {
  const ranges = taken.flatMap((text) => parseRange(text) ?? [])
  const isFree = (address: number): boolean =>
    isHostAddress(cidr, address) && !ranges.some((range) => rangeContains(range, address))
  const kept = [current?.dhcp, current?.dns, current?.proxy].map((text) => {
    const address = parseIpv4(text ?? '')
    return address !== undefined && isFree(address) ? address : undefined
  })
  const chosen = new Set(kept)
  const next = lowestFree(cidr, (address) => isFree(address) && !chosen.has(address))
  const [dhcp, dns, proxy] = kept.map((address) => address ?? next())
  if (dhcp === undefined || dns === undefined || proxy === undefined) return undefined
  return { dhcp: formatIpv4(dhcp), dns: formatIpv4(dns), proxy: formatIpv4(proxy) }
}

/** How far it is looked before it is given up: whoever fills this many addresses has to choose by hand. */
const mostLooks = 65_536

function lowestFree(cidr: Cidr, isFree: (address: number) => boolean): () => number | undefined {
  let candidate = cidr.network
  return () => {
    for (let looks = 0; looks < mostLooks && candidate < broadcastOf(cidr); looks++) {
      candidate++
      if (isFree(candidate)) return candidate
    }
    return undefined
  }
}
