import { parseIpv4 } from '../../../core/net/ipv4.ts'
import { parseIpv6 } from '../../../core/net/ipv6.ts'

const signature = Uint8Array.of(0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a)
const proxied = 0x21 // version 2, command PROXY
const local = 0x20 // version 2, command LOCAL: the addresses are not known
const tcpOverIpv4 = 0x11
const tcpOverIpv6 = 0x21

export interface Ends {
  readonly sourceAddress: string
  readonly sourcePort: number
  readonly destinationAddress: string
  readonly destinationPort: number
}

/** The PROXY protocol header, version 2: tells the target who is at the other end of the connection. */
export function proxyHeader(ends: Ends): Uint8Array {
  const [source, destination] = [addressBytes(ends.sourceAddress), addressBytes(ends.destinationAddress)]
  if (!source || source.length !== destination?.length) return header(local, 0, [])
  const addresses = [...source, ...destination, ...uint16(ends.sourcePort), ...uint16(ends.destinationPort)]
  return header(proxied, source.length === 4 ? tcpOverIpv4 : tcpOverIpv6, addresses)
}

function header(command: number, transport: number, addresses: readonly number[]): Uint8Array {
  return Uint8Array.of(...signature, command, transport, ...uint16(addresses.length), ...addresses)
}

function addressBytes(text: string): Uint8Array | undefined {
  const ipv4 = parseIpv4(text)
  if (ipv4 === undefined) return parseIpv6(text)
  return Uint8Array.of(ipv4 >>> 24, (ipv4 >>> 16) & 255, (ipv4 >>> 8) & 255, ipv4 & 255)
}

function uint16(value: number): [number, number] {
  return [value >> 8, value & 255]
}
