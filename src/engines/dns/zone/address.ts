import { parseIpv4 } from '../../../core/net/ipv4.ts'
import { parseIpv6 } from '../../../core/net/ipv6.ts'
import { recordType } from '../codec/numbers.ts'

/** An address as a record carries it. */
export interface Address {
  readonly type: typeof recordType.A | typeof recordType.AAAA
  readonly bytes: Uint8Array
}

export function parseAddress(text: string): Address | undefined {
  const ipv4 = parseIpv4(text)
  if (ipv4 !== undefined) {
    return {
      type: recordType.A,
      bytes: Uint8Array.of(ipv4 >>> 24, (ipv4 >>> 16) & 255, (ipv4 >>> 8) & 255, ipv4 & 255),
    }
  }
  const ipv6 = parseIpv6(text)
  return ipv6 === undefined ? undefined : { type: recordType.AAAA, bytes: ipv6 }
}

/** The IPv4 address as a number, for arithmetic with networks. */
export function ipv4Of(address: Address): number | undefined {
  if (address.type !== recordType.A) return undefined
  return address.bytes.reduce((number, byte) => number * 256 + byte, 0)
}

export function sameAddress(a: Address, b: Address): boolean {
  return a.bytes.length === b.bytes.length && a.bytes.every((byte, index) => byte === b.bytes[index])
}

/** Those of the texts that are addresses. */
export function parseAddresses(texts: readonly string[]): Address[] {
  return texts.map(parseAddress).filter((address) => address !== undefined)
}
