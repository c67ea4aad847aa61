import { clientKey } from './client-key.ts'
import type { ClientMessageType, DecodeDrop, Message } from './message.ts'
import { bootRequest, ethernet, field, magicCookie, messageType, option } from './numbers.ts'
import { number16, number32, readOptions, wanted } from './options.ts'
import { readRelayAgent } from './relay-agent.ts'

const wantedOptions = wanted([
  option.requestedAddress,
  option.leaseTime,
  option.overload,
  option.messageType,
  option.serverIdentifier,
  option.parameterRequestList,
  option.maximumMessageSize,
  option.clientIdentifier,
  option.clientFqdn,
  option.relayAgentInformation,
])

const typeNames: Readonly<Record<number, ClientMessageType>> = {
  [messageType.discover]: 'discover',
  [messageType.request]: 'request',
  [messageType.decline]: 'decline',
  [messageType.release]: 'release',
  [messageType.inform]: 'inform',
}

const longestHardwareAddress = 16
const ethernetAddressLength = 6
/** A DUID has 130 bytes at most (RFC 8415 section 11.1); leases keep the identifier, so it must not be a whole packet. */
const longestClientIdentifier = 255

/** Total: any bytes give a message, or the reason for which they are none. */
export function decode(packet: Buffer): Message | DecodeDrop {
  if (packet.length < field.options) return 'too-short'
  if (packet[field.op] !== bootRequest) return 'not-a-request'
  if (packet.readUInt32BE(field.magicCookie) !== magicCookie) return 'no-magic-cookie'
  const hardwareType = packet.readUInt8(field.hardwareType)
  const hardwareLength = packet.readUInt8(field.hardwareLength)
  if (hardwareLength > longestHardwareAddress) return 'bad-hardware-address'
  if (hardwareType === ethernet && hardwareLength !== ethernetAddressLength) return 'bad-hardware-address'

  const options = readOptions(packet, wantedOptions)
  const typeOption = options.get(option.messageType)
  if (typeOption === undefined) return 'bootp'
  const type = typeOption.length === 1 ? typeNames[typeOption[0] ?? 0] : undefined
  if (type === undefined) return 'not-a-client-message'

  const hardwareAddress = packet.subarray(field.hardwareAddress, field.hardwareAddress + longestHardwareAddress)
  const clientIdentifier = options.get(option.clientIdentifier)
  if (clientIdentifier !== undefined && clientIdentifier.length > longestClientIdentifier) return 'no-identity'
  const client = clientKey(hardwareType, hardwareLength, hardwareAddress, clientIdentifier)
  if (client === undefined) return 'no-identity'

  const relayAddress = packet.readUInt32BE(field.relayAddress)
  const relayAgent = relayAddress === 0 ? undefined : options.get(option.relayAgentInformation)
  return {
    type,
    hardwareType,
    hardwareLength,
    hardwareAddress,
    transactionId: packet.readUInt32BE(field.transactionId),
    flags: packet.readUInt16BE(field.flags),
    clientAddress: packet.readUInt32BE(field.clientAddress),
    relayAddress,
    client,
    clientIdentifier,
    requestedAddress: number32(options, option.requestedAddress),
    serverIdentifier: number32(options, option.serverIdentifier),
    leaseSeconds: number32(options, option.leaseTime),
    maximumMessageSize: number16(options, option.maximumMessageSize),
    parameterRequestList: options.get(option.parameterRequestList),
    clientFqdn: options.get(option.clientFqdn),
    relayAgent: relayAgent === undefined ? undefined : readRelayAgent(relayAgent),
  }
}
