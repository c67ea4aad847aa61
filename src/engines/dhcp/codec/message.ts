import type { RelayAgent } from './relay-agent.ts'

/** What a client or a relay agent sent, reduced to what a server acts on. */
export interface Message {
  readonly type: ClientMessageType
  readonly hardwareType: number
  readonly hardwareLength: number
  /** The whole 16-byte field, to be echoed as it came. */
  readonly hardwareAddress: Buffer
  readonly transactionId: number
  readonly flags: number
  /** `ciaddr`: the address the client says it has; 0 if none. */
  readonly clientAddress: number
  /** `giaddr`: the relay agent that passed the message on; 0 if none. */
  readonly relayAddress: number
  /** Whose lease this is about: see `clientKey`. */
  readonly client: string
  readonly clientIdentifier: Buffer | undefined
  readonly requestedAddress: number | undefined
  readonly serverIdentifier: number | undefined
  readonly leaseSeconds: number | undefined
  readonly maximumMessageSize: number | undefined
  readonly parameterRequestList: Buffer | undefined
  readonly clientFqdn: Buffer | undefined
  /** Option 82; only looked at when a relay agent really is there (RFC 3046 section 2.1). */
  readonly relayAgent: RelayAgent | undefined
}

export const clientMessageTypes = ['discover', 'request', 'decline', 'release', 'inform'] as const
export type ClientMessageType = (typeof clientMessageTypes)[number]

/** Why a packet was not even looked at. */
export const decodeDrops = [
  'too-short',
  'not-a-request',
  'no-magic-cookie',
  'bad-hardware-address',
  'no-identity',
  'bootp',
  'not-a-client-message',
] as const
export type DecodeDrop = (typeof decodeDrops)[number]
