import { isUnicastIpv4, parseIpv4 } from '../net/ipv4.ts'
import { parseIpv6 } from '../net/ipv6.ts'

/** May connections be passed on to this address? Asked for every address, also for those that a name resolved to. */
export type TargetPolicy = (address: string) => boolean

/**
 * Refuses what only this host can mean by an address: loopback, link-local, unspecified, multicast. Whoever writes a
 * backend could else reach what listens there and trusts its neighbours, such as a metadata service or an admin port.
 */
export const isRemoteUnicast: TargetPolicy = (address) => {
  const ipv4 = parseIpv4(address)
  if (ipv4 !== undefined) return isUnicastIpv4(ipv4)
  const ipv6 = parseIpv6(address)
  return ipv6 !== undefined && isRemoteUnicastIpv6(ipv6)
}

function isRemoteUnicastIpv6(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes
  if (first === 0) {
    // Of ::/8 only IPv4-mapped addresses (::ffff:a.b.c.d) can be reached; they are judged as IPv4.
    const view = new DataView(bytes.buffer, bytes.byteOffset)
    const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0) && view.getUint16(10) === 0xffff
    return isMapped && isUnicastIpv4(view.getUint32(12))
  }
  const isLinkLocal = first === 0xfe && (second & 0xc0) === 0x80
  return !isLinkLocal && first !== 0xff
}
