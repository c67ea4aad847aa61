import { isHostAddress } from '../../../core/net/cidr.ts'
import type { Message } from '../codec/message.ts'
import type { DhcpSettings } from './settings.ts'

/** `clientPolicy`: with Known, whoever is not known gets no lease, and no word about it. */
export function isServed(settings: DhcpSettings, mac: string): boolean {
  return settings.servesUnknownClients || settings.clients.has(mac)
}

/** Does this message name us, or name nobody? A relay agent may stand in for us (RFC 5107). */
export function isForUs(settings: DhcpSettings, message: Message): boolean {
  const named = message.serverIdentifier
  return (
    named === undefined || named === settings.serverAddress || named === message.relayAgent?.serverIdentifierOverride
  )
}

/**
 * A relayed message comes from the served network if its relay agent stands there and does not select another link
 * (RFC 3527). A relay elsewhere is not answered: the answer would leave through another interface.
 */
export function isFromServedNetwork(settings: DhcpSettings, message: Message): boolean {
  if (message.relayAddress === 0) return true
  if (message.relayAddress === settings.serverAddress) return false
  const link = message.relayAgent?.linkSelection ?? message.relayAddress
  return isHostAddress(settings.cidr, message.relayAddress) && isOnLink(settings, link)
}

/** Link selection carries an address of the network, be it the network's own. */
function isOnLink(settings: DhcpSettings, address: number): boolean {
  return address === settings.cidr.network || isHostAddress(settings.cidr, address)
}
