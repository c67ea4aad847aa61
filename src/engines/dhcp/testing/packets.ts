import { formatIpv4, parseIpv4 } from '../../../core/net/ipv4.ts'
import { field, magicCookie, messageType, option } from '../codec/numbers.ts'

/** A packet as a test writes it; what it leaves out is what an ordinary client sends. */
export interface PacketText {
  readonly type?: keyof typeof messageType | number | undefined
  readonly mac?: string
  readonly op?: number
  readonly hardwareType?: number
  readonly hardwareLength?: number
  readonly transactionId?: number
  readonly flags?: number
  readonly clientAddress?: string
  readonly relayAddress?: string
  /** In this order, after option 53. */
  readonly options?: readonly (readonly [code: number, value: OptionText])[]
  readonly serverName?: Uint8Array
  readonly bootFile?: Uint8Array
  readonly withoutEnd?: boolean
}

/** An address, a text in quotes would be bytes; a number of 32 bits; or bytes. */
export type OptionText = string | number | readonly number[] | Uint8Array

export function address(text: string): number {
  const value = parseIpv4(text)
  if (value === undefined) throw new Error(`not an address: ${text}`)
  return value
}

export function packet(text: PacketText): Buffer {
  const head = Buffer.alloc(field.options)
  head[field.op] = text.op ?? 1
  head[field.hardwareType] = text.hardwareType ?? 1
  head[field.hardwareLength] = text.hardwareLength ?? 6
  head.writeUInt32BE(text.transactionId ?? 0x11223344, field.transactionId)
  head.writeUInt16BE(text.flags ?? 0, field.flags)
  head.writeUInt32BE(address(text.clientAddress ?? '0.0.0.0'), field.clientAddress)
  head.writeUInt32BE(address(text.relayAddress ?? '0.0.0.0'), field.relayAddress)
  head.set(Buffer.from((text.mac ?? '02:00:00:00:00:01').replaceAll(':', ''), 'hex'), field.hardwareAddress)
  if (text.serverName) head.set(text.serverName, field.serverName)
  if (text.bootFile) head.set(text.bootFile, field.bootFile)
  head.writeUInt32BE(magicCookie, field.magicCookie)
  const type = typeof text.type === 'string' ? messageType[text.type] : text.type
  const parts: Uint8Array[] = [head]
  if (type !== undefined) parts.push(Buffer.from([option.messageType, 1, type]))
  for (const [code, value] of text.options ?? []) parts.push(encodeOption(code, value))
  if (!text.withoutEnd) parts.push(Buffer.from([option.end]))
  return Buffer.concat(parts)
}

function encodeOption(code: number, value: OptionText): Buffer {
  const bytes = Buffer.from(bytesOf(value))
  return Buffer.concat([Buffer.from([code, bytes.length]), bytes])
}

function bytesOf(value: OptionText): Uint8Array | readonly number[] {
  if (typeof value === 'string') return number32(address(value))
  return typeof value === 'number' ? number32(value) : value
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A reply taken apart by other code than the server's own. */
export interface ParsedReply {
  readonly type: string
  readonly op: number
  readonly hops: number
  readonly transactionId: number
  readonly secs: number
  readonly flags: number
  readonly clientAddress: string
  readonly yourAddress: string
  readonly serverAddress: string
  readonly relayAddress: string
  readonly hardwareAddress: string
  readonly length: number
  /** Codes in the order they were sent, repeated ones repeated. */
  readonly order: readonly number[]
  readonly options: ReadonlyMap<number, Buffer>
  /** The option as one address, or as several with commas. */
  readonly addresses: (code: number) => string | undefined
  readonly number: (code: number) => number | undefined
}

export function parseReply(bytes: Buffer): ParsedReply {
  const options = new Map<number, Buffer>()
  const order: number[] = []
  for (let at: number = field.options; bytes[at] !== option.end; ) {
    const code = bytes.readUInt8(at)
    if (code === option.pad) {
      at++
      continue
    }
    const length = bytes.readUInt8(at + 1)
    order.push(code)
    options.set(code, Buffer.concat([options.get(code) ?? Buffer.alloc(0), bytes.subarray(at + 2, at + 2 + length)]))
    at += 2 + length
  }
  const addressAt = (at: number) => formatIpv4(bytes.readUInt32BE(at))
  const typeNumber = options.get(option.messageType)?.[0]
  return {
    type: Object.entries(messageType).find(([, number]) => number === typeNumber)?.[0] ?? 'none',
    op: bytes.readUInt8(0),
    hops: bytes.readUInt8(3),
    transactionId: bytes.readUInt32BE(4),
    secs: bytes.readUInt16BE(8),
    flags: bytes.readUInt16BE(10),
    clientAddress: addressAt(12),
    yourAddress: addressAt(16),
    serverAddress: addressAt(20),
    relayAddress: addressAt(24),
    hardwareAddress: bytes.toString('hex', 28, 34),
    length: bytes.length,
    order,
    options,
    addresses: (code) => {
      const value = options.get(code)
      if (value === undefined) return undefined
      return Array.from({ length: value.length / 4 }, (_, index) => formatIpv4(value.readUInt32BE(4 * index))).join(',')
    },
    number: (code) => {
      const value = options.get(code)
      return value === undefined ? undefined : value.readUIntBE(0, value.length)
    },
  }
}
