import { formatIpv4, parseIpv4 } from './ipv4.ts'

/** An IPv4 network: its first address and how many leading bits belong to the network. */
export interface Cidr {
  readonly network: number
  readonly prefixLength: number
}

/** `192.168.100.0/24`. Host bits must be zero, so that one network has one spelling. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/')
  const network = parseIpv4(text.slice(0, Math.max(slash, 0)))
  const prefixText = text.slice(slash + 1)
  if (slash < 0 || network === undefined || !/^(0|[1-9]\d?)$/.test(prefixText)) return undefined
  const cidr = { network, prefixLength: Number(prefixText) }
  if (cidr.prefixLength > 32 || (network & ~netmask(cidr)) !== 0) return undefined
  return cidr
}

export function formatCidr(cidr: Cidr): string {
  return `${formatIpv4(cidr.network)}/${cidr.prefixLength}`
}

export function netmask(cidr: Cidr): number {
  // A shift by 32 is a shift by 0 in JavaScript, so /0 needs its own answer.
  return cidr.prefixLength === 0 ? 0 : (-1 << (32 - cidr.prefixLength)) >>> 0
}

export function broadcastOf(cidr: Cidr): number {
  return (cidr.network | ~netmask(cidr)) >>> 0
}

export function cidrContains(cidr: Cidr, address: number): boolean {
  return (address & netmask(cidr)) >>> 0 === cidr.network
}

export function cidrsOverlap(a: Cidr, b: Cidr): boolean {
  return cidrContains(a, b.network) || cidrContains(b, a.network)
}

/** May a host have this address? All but the first and the last; /31 (RFC 3021) and /32 have neither. */
export function isHostAddress(cidr: Cidr, address: number): boolean {
  if (!cidrContains(cidr, address)) return false
  return cidr.prefixLength >= 31 || (address !== cidr.network && address !== broadcastOf(cidr))
}
