import { createSocket } from 'node:dgram'
import { networkInterfaces } from 'node:os'
import { broadcastOf, type Cidr, isHostAddress } from '../core/net/cidr.ts'
import { formatIpv4, parseIpv4 } from '../core/net/ipv4.ts'

/** Nothing needs to listen there: what counts is the question that goes before the datagram. */
const discardPort = 9

/**
 * Tells the neighbours on the network which machine has the address now. A pod that took an address over from another has
 * another MAC, and its neighbours would go on sending to the old one for up to a minute. A gratuitous ARP needs a
 * capability; but the first datagram to a neighbour makes the kernel ask everybody for it, in our name and with our
 * MAC, and whoever has an old entry for us corrects it (RFC 826).
 */
export function announce(address: string): void {
  const neighbour = neighbourOf(address, networkOf(address))
  if (neighbour === undefined) return
  const socket = createSocket('udp4')
  // It is a courtesy: an engine serves without it.
  socket.once('error', () => socket.close())
  socket.bind({ address, port: 0 }, () => socket.send('', discardPort, neighbour, () => socket.close()))
}

/** The network of the interface that has the address; none for loopback, where everybody is the same machine. */
function networkOf(address: string): Cidr | undefined {
  for (const entry of Object.values(networkInterfaces()).flat()) {
    const bits = Number(entry?.cidr?.split('/')[1])
    const value = parseIpv4(address)
    if (entry?.address !== address || entry.internal || value === undefined || Number.isNaN(bits)) continue
    const mask = bits === 0 ? 0 : (-1 << (32 - bits)) >>> 0
    return { network: (value & mask) >>> 0, prefixLength: bits }
  }
  return undefined
}

/** Any other host address of the network: the last one that is not our own. */
export function neighbourOf(address: string, network: Cidr | undefined): string | undefined {
  const own = parseIpv4(address)
  if (network === undefined || own === undefined) return undefined
  const last = broadcastOf(network) - 1
  const candidate = last === own ? last - 1 : last
  return isHostAddress(network, candidate) && candidate !== own ? formatIpv4(candidate) : undefined
}
