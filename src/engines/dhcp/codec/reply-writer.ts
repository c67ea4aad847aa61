import type { Message } from './message.ts'
import { bootReply, field, magicCookie, option } from './numbers.ts'

/** The header fields of a reply that are not simply copied from the request (RFC 2131 section 4.3.1, table 3). */
export interface ReplyHeader {
  readonly flags: number
  readonly clientAddress: number
  readonly yourAddress: number
  /** `siaddr`: where to go on booting; 0 if nowhere. */
  readonly nextServer?: number
  readonly bootFile?: Buffer | undefined
}

/** Old clients and relay agents drop anything shorter (RFC 951, RFC 1542 section 2.1). */
const minimumLength = 300
const longestPart = 255
const endLength = 1

/** Writes one reply, option after option, into a packet made for exactly `optionsLength` bytes of them. */
export class ReplyWriter {
  readonly #packet: Buffer
  #at: number = field.options

  constructor(request: Message, header: ReplyHeader, optionsLength: number) {
    const length = Math.max(minimumLength, field.options + optionsLength + endLength)
    const packet = Buffer.allocUnsafe(length)
    packet.fill(0, 0, field.magicCookie)
    packet[field.op] = bootReply
    packet[field.hardwareType] = request.hardwareType
    packet[field.hardwareLength] = request.hardwareLength
    packet.writeUInt32BE(request.transactionId, field.transactionId)
    packet.writeUInt16BE(header.flags, field.flags)
    packet.writeUInt32BE(header.clientAddress, field.clientAddress)
    packet.writeUInt32BE(header.yourAddress, field.yourAddress)
    if (header.nextServer !== undefined) packet.writeUInt32BE(header.nextServer, field.serverAddress)
    packet.writeUInt32BE(request.relayAddress, field.relayAddress)
    packet.set(request.hardwareAddress, field.hardwareAddress)
    if (header.bootFile !== undefined) packet.set(header.bootFile, field.bootFile)
    packet.writeUInt32BE(magicCookie, field.magicCookie)
    this.#packet = packet
  }

  number8(code: number, value: number): void {
    this.#startOption(code, 1)
    this.#at = this.#packet.writeUInt8(value, this.#at)
  }

  number32(code: number, value: number): void {
    this.#startOption(code, 4)
    this.#at = this.#packet.writeUInt32BE(value, this.#at)
  }

  /** Values longer than 255 bytes go out in parts (RFC 3396 section 7). */
  bytes(code: number, value: Uint8Array): void {
    let start = 0
    do {
      const part = value.length <= longestPart ? value : value.subarray(start, start + longestPart)
      this.#startOption(code, part.length)
      this.#packet.set(part, this.#at)
      this.#at += part.length
      start += longestPart
    } while (start < value.length)
  }

  finish(): Buffer {
    this.#packet[this.#at++] = option.end
    return this.#packet.fill(option.pad, this.#at)
  }

  #startOption(code: number, length: number): void {
    this.#packet[this.#at++] = code
    this.#packet[this.#at++] = length
  }
}

/** How many bytes an option takes in a packet, its codes and lengths included. */
export function encodedLength(value: Uint8Array): number {
  return value.length + 2 * Math.max(1, Math.ceil(value.length / longestPart))
}

export const number8Length = 3
export const number32Length = 6
