import { type Cidr, cidrContains, parseCidr } from '../../../core/net/cidr.ts'
import { parseIpv4 } from '../../../core/net/ipv4.ts'
import { readUint32 } from '../codec/bytes.ts'
import type { ViewName } from '../zone/records.ts'

/** Which view a query sees: by the address it arrived at; if that serves both sides, by where it came from. */
export interface ViewChooser {
  readonly arrival: ViewName | 'both'
  readonly vlan?: Cidr | undefined
}

/** An address that serves both sides knows the VLAN's machines by their network; everybody else is the pod network. */
export function chooseView({ arrival, vlan }: ViewChooser, client: string): ViewName {
  if (arrival !== 'both') return arrival
  const address = parseIpv4(client)
  return vlan !== undefined && address !== undefined && cidrContains(vlan, address) ? 'vlan' : 'pod'
}

const loopback: Cidr = { network: 0x7f000000, prefixLength: 8 }
/** RFC 1918 and RFC 6598: where an address that serves both sides has its pod network. */
const privateNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10']
  .map(parseCidr)
  .filter((cidr) => cidr !== undefined)

/**
 * Does this client (4 or 16 bytes) belong to neither network? The pod network is the host's own and never foreign. If
 * the VLAN's network is not known, nobody can be told from its machines.
 */
export function isForeign({ arrival, vlan }: ViewChooser, client: Uint8Array): boolean {
  if (arrival === 'pod' || vlan === undefined) return false
  if (client.length === 16) return !isLocalIpv6(client)
  const local = [vlan, loopback, ...(arrival === 'both' ? privateNetworks : [])]
  const address = readUint32(client, 0)
  return !local.some((cidr) => cidrContains(cidr, address))
}

/** fc00::/7 (RFC 4193), fe80::/10 and ::1. */
function isLocalIpv6(address: Uint8Array): boolean {
  const [first = 0, second = 0] = address
  const isLoopback = address.every((byte, index) => byte === (index === 15 ? 1 : 0))
  return (first & 0xfe) === 0xfc || (first === 0xfe && (second & 0xc0) === 0x80) || isLoopback
}
