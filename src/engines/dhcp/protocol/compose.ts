import { isHostAddress } from '../../../core/net/cidr.ts'
import type { Message } from '../codec/message.ts'
import { broadcastFlag, field, messageType, option } from '../codec/numbers.ts'
import { encodedLength, number8Length, number32Length, ReplyWriter } from '../codec/reply-writer.ts'
import { grantedSeconds, renewalTimes } from './lease-time.ts'
import { configuringOptions, fitting, type OptionValue } from './reply-options.ts'
import { type DhcpSettings, unnamedClient } from './settings.ts'

/** A packet and where it goes; an address of undefined is the whole link. */
export interface Reply {
  readonly type: 'offer' | 'ack' | 'nak'
  readonly bytes: Buffer
  readonly destination: number | undefined
  readonly port: 'client' | 'server' | 'source'
  /** What a NAK tells the client. */
  readonly why?: string
}

const headersLength = 28
const smallestMaximum = 576
const ethernetMtu = 1500

export function composeOffer(settings: DhcpSettings, request: Message, address: number): Reply {
  const leaseSeconds = grantedSeconds(settings.leaseSeconds, request.leaseSeconds)
  return {
    type: 'offer',
    bytes: configuring(settings, request, { type: messageType.offer, address, leaseSeconds }),
    ...destinationOf(settings, request),
  }
}

export function composeAck(settings: DhcpSettings, request: Message, address: number, leaseSeconds: number): Reply {
  return {
    type: 'ack',
    bytes: configuring(settings, request, { type: messageType.ack, address, leaseSeconds }),
    ...destinationOf(settings, request),
  }
}

/**
 * RFC 2131 section 4.3.5: the client has its address from elsewhere, so nothing is said about one or its end. It goes
 * straight to that address: a relay agent would look for the client at `yiaddr`, which is empty.
 */
export function composeInformAck(settings: DhcpSettings, request: Message): Reply {
  return {
    type: 'ack',
    bytes: configuring(settings, request, { type: messageType.ack, address: 0, leaseSeconds: undefined }),
    destination: request.clientAddress,
    port: 'client',
  }
}

/** RFC 2131 section 4.3.2 and table 3. The client may have no usable address, so it goes to the whole link. */
export function composeNak(settings: DhcpSettings, request: Message, why: string): Reply {
  const message = Buffer.from(why, 'latin1')
  const isRelayed = request.relayAddress !== 0
  const length = number8Length + number32Length + encodedLength(message) + echoedLength(request)
  const flags = isRelayed ? request.flags | broadcastFlag : request.flags
  const writer = new ReplyWriter(request, { flags, clientAddress: 0, yourAddress: 0 }, length)
  writer.number8(option.messageType, messageType.nak)
  writer.number32(option.serverIdentifier, serverIdentifier(settings, request))
  writer.bytes(option.message, message)
  writeEchoed(writer, request)
  const destination = isRelayed ? destinationOf(settings, request) : { destination: undefined, port: 'client' as const }
  return { type: 'nak', bytes: writer.finish(), ...destination, why }
}

interface Configuring {
  readonly type: number
  readonly address: number
  readonly leaseSeconds: number | undefined
}

function configuring(settings: DhcpSettings, request: Message, answer: Configuring): Buffer {
  const client = settings.clients.get(request.client) ?? unnamedClient
  const times = answer.leaseSeconds === undefined ? undefined : renewalTimes(answer.leaseSeconds)
  const leaseLength = answer.leaseSeconds === undefined ? 0 : number32Length * (times === undefined ? 1 : 3)
  const fixedLength = number8Length + number32Length + leaseLength + echoedLength(request)
  const values = configuringOptions(settings, client, request)
  const room = payloadLimit(settings, request) - field.options - fixedLength - 1
  const length = values.reduce(addLength, 0)
  const kept = length <= room ? values : fitting(values, room)

  const clientAddress = answer.type === messageType.ack ? request.clientAddress : 0
  const { server: nextServer, file: bootFile } = settings.boot
  const header = { flags: request.flags, clientAddress, yourAddress: answer.address, nextServer, bootFile }
  const writer = new ReplyWriter(request, header, fixedLength + kept.reduce(addLength, 0))
  writer.number8(option.messageType, answer.type)
  writer.number32(option.serverIdentifier, serverIdentifier(settings, request))
  if (answer.leaseSeconds !== undefined) writer.number32(option.leaseTime, answer.leaseSeconds)
  if (times !== undefined) {
    writer.number32(option.renewalTime, times.renewalSeconds)
    writer.number32(option.rebindingTime, times.rebindingSeconds)
  }
  for (const { code, value } of kept) writer.bytes(code, value)
  writeEchoed(writer, request)
  return writer.finish()
}

function addLength(sum: number, { value }: OptionValue): number {
  return sum + encodedLength(value)
}

/** Option 61 in every reply (RFC 6842 section 3); option 82 too, as the last (RFC 3046 section 2.2). */
function writeEchoed(writer: ReplyWriter, request: Message): void {
  if (request.clientIdentifier !== undefined) writer.bytes(option.clientIdentifier, request.clientIdentifier)
  if (request.relayAgent !== undefined) writer.bytes(option.relayAgentInformation, request.relayAgent.bytes)
}

function echoedLength({ clientIdentifier, relayAgent }: Message): number {
  const identifierLength = clientIdentifier === undefined ? 0 : encodedLength(clientIdentifier)
  return identifierLength + (relayAgent === undefined ? 0 : encodedLength(relayAgent.bytes))
}

/** How long the UDP payload may be: what the client takes (RFC 2132 section 9.10) and the link carries. */
function payloadLimit(settings: DhcpSettings, request: Message): number {
  const accepted = Math.max(request.maximumMessageSize ?? smallestMaximum, smallestMaximum)
  return Math.min(accepted, settings.mtu ?? ethernetMtu) - headersLength
}

function serverIdentifier(settings: DhcpSettings, request: Message): number {
  return request.relayAgent?.serverIdentifierOverride ?? settings.serverAddress
}

/**
 * RFC 2131 section 4.1, but for one thing: a client without an address is answered by broadcast even if it did not ask
 * for it, because unicast to an address nobody answers ARP for takes a raw socket. Every client accepts it.
 * Nothing is ever sent to an address outside the network: it would leave through another interface.
 */
function destinationOf(settings: DhcpSettings, request: Message): Pick<Reply, 'destination' | 'port'> {
  if (request.relayAddress !== 0) {
    return { destination: request.relayAddress, port: request.relayAgent?.usesSourcePort ? 'source' : 'server' }
  }
  const isReachable = isHostAddress(settings.cidr, request.clientAddress)
  return { destination: isReachable ? request.clientAddress : undefined, port: 'client' }
}
