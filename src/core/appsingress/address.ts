import { cidrContains, formatCidr } from '../net/cidr.ts'
import { isUnicastIpv4, parseIpv4 } from '../net/ipv4.ts'
import { formatRange, rangeContains } from '../net/range.ts'
import { poolsNamed } from './groundwork.ts'
import type { Groundwork, Service } from './hosted.ts'
import { isInRanges, rangesOf } from './pool.ts'
import type { AppsRequest } from './request.ts'

/** MetalLB notes here from which pool it took the address. */
const allocatedFrom = 'metallb.io/ip-allocated-from-pool'

/** Whether any pool of the hosted cluster has this address; one that none has was not given by MetalLB. */
export function isOfSomePool(address: string, { metallb }: Groundwork): boolean {
  return (metallb?.pools ?? []).some(({ addresses }) => isInRanges(rangesOf(addresses), address))
}

/**
 * Why this address is not accepted, if so. Whoever runs the hosted cluster can write any address into the Service, and
 * ours would send pods of this cluster there: so it has to be one of the pool that was named, and of the VLAN.
 */
export function refusal(text: string, request: AppsRequest, service: Service, found: Groundwork): string | undefined {
  const { metallb } = request.spec
  const address = parseIpv4(text)
  if (address === undefined || !isUnicastIpv4(address)) return `${text} is no IPv4 address of a host`
  const pool = metallb?.addressPoolName ?? ''
  const ranges = poolsNamed(request, found).flatMap(({ addresses }) => rangesOf(addresses))
  const isNoted = service.annotations[allocatedFrom] === pool
  if (!isNoted && !isInRanges(ranges, text)) return `${text} is not of the IPAddressPool ${pool}`
  const given = metallb?.ipAddressPoolRange
  if (given !== undefined && !isInRanges(rangesOf(given.split(',')), text)) {
    return `${text} is outside ipAddressPoolRange ${given}`
  }
  const { cidr, alsoAllowed, taken } = request.vlan
  const allowed = [...(cidr ? [cidr] : []), ...alsoAllowed]
  if (!allowed.some((network) => cidrContains(network, address))) {
    return `${text} is outside the VLAN (${allowed.map(formatCidr).join(', ')})`
  }
  const clash = taken.find(({ range }) => rangeContains(range, address))
  return clash && `${text} belongs to ${clash.what} (${formatRange(clash.range)})`
}
