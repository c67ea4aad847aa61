import { type Cidr, parseCidr } from '../net/cidr.ts'
import { parseIpv4 } from '../net/ipv4.ts'
import { reverseZones } from './reverse.ts'

/** What belongs to the cluster this server runs in: its domains, and the reverse zones of its networks. */
export function withheldDomains(
  domains: readonly string[],
  networks: readonly string[],
  podAddresses: readonly string[],
): string[] {
  const cidrs = [...networks.map(parseCidr), ...podAddresses.map(hostCidr)]
  return [...domains, ...cidrs.flatMap((cidr) => (cidr === undefined ? [] : reverseZones(cidr)))]
}

function hostCidr(address: string): Cidr | undefined {
  const network = parseIpv4(address)
  return network === undefined ? undefined : { network, prefixLength: 32 }
}
