import { readUint16 } from './bytes.ts'
import { brokenOptions, noCookie, readOptions } from './edns.ts'
import { skipName } from './name.ts'
import {
  headerFlag,
  headerLength,
  messageLimit,
  opcodeMask,
  plainUdpLimit,
  recordType,
  udpPayloadLimit,
} from './numbers.ts'
import { WireName } from './wire-name.ts'

/** What to do with a packet. All but the two drops get an answer. */
export type Verdict = 'answer' | 'cookie-only' | 'formerr' | 'notimp' | 'badvers' | 'drop-short' | 'drop-response'

export type Transport = 'udp' | 'tcp'

/** What a reply has to know of the query it replies to. */
export interface ReplyTo {
  readonly packet: Uint8Array
  /** Behind the question, or behind the header if there is none that could be read. */
  readonly questionEnd: number
  readonly hasEdns: boolean
  readonly dnssecOk: boolean
  /** No reply may be longer. */
  readonly limit: number
  /** The cookie that goes back, if the query has one. */
  readonly cookie: Uint8Array | undefined
}

/**
 * A query as it came in. One instance is read into again and again: nothing is allocated per packet. Any bytes give
 * a verdict, in steps bounded by the length of the packet.
 */
export class Query implements ReplyTo {
  readonly name: WireName
  packet: Uint8Array = new Uint8Array(0)
  flags = 0
  type = 0
  class = 0
  questionEnd = headerLength
  hasEdns = false
  dnssecOk = false
  limit = plainUdpLimit
  cookie: Uint8Array | undefined = undefined
  /** Where in the packet the client's cookie is; 0 = it has none. */
  cookieAt = noCookie
  #ednsVersion = 0
  #offeredUdpSize = plainUdpLimit

  constructor(seed: number) {
    this.name = new WireName(seed)
  }

  parse(packet: Uint8Array, transport: Transport): Verdict {
    this.#reset(packet, transport)
    if (packet.length < headerLength) return 'drop-short'
    this.flags = readUint16(packet, 2)
    if ((this.flags & headerFlag.response) !== 0) return 'drop-response'
    const questions = readUint16(packet, 4)
    if ((this.flags & opcodeMask) !== 0) return this.#notImplemented(packet, questions)
    if (questions > 1 || (questions === 1 && !this.#readQuestion(packet))) return 'formerr'
    if (!this.#readRecords(packet)) return 'formerr'
    if (transport === 'udp') this.limit = Math.min(Math.max(this.#offeredUdpSize, plainUdpLimit), udpPayloadLimit)
    if (this.#ednsVersion !== 0) return 'badvers'
    if (questions === 1) return 'answer'
    // RFC 7873 section 5.4: a client may ask for a cookie and nothing else.
    return this.cookieAt === noCookie ? 'formerr' : 'cookie-only'
  }

  get cookieLength(): number {
    return readUint16(this.packet, this.cookieAt - 2)
  }

  #reset(packet: Uint8Array, transport: Transport): void {
    this.packet = packet
    this.flags = 0
    this.type = 0
    this.class = 0
    this.questionEnd = headerLength
    this.hasEdns = false
    this.dnssecOk = false
    this.limit = transport === 'udp' ? plainUdpLimit : messageLimit
    this.#ednsVersion = 0
    this.cookie = undefined
    this.cookieAt = noCookie
    this.#offeredUdpSize = plainUdpLimit
  }

  /** Whoever speaks EDNS is answered in it (RFC 6891 section 6.1.1); all else depends on what is not implemented. */
  #notImplemented(packet: Uint8Array, questions: number): Verdict {
    const isReadable = questions === 0 || (questions === 1 && this.#readQuestion(packet))
    if (!isReadable || !this.#readRecords(packet)) this.hasEdns = false
    this.questionEnd = headerLength
    return 'notimp'
  }

  #readQuestion(packet: Uint8Array): boolean {
    const nameEnd = this.name.read(packet, headerLength, packet.length)
    if (nameEnd < 0 || nameEnd + 4 > packet.length) return false
    this.type = readUint16(packet, nameEnd)
    this.class = readUint16(packet, nameEnd + 2)
    this.questionEnd = nameEnd + 4
    return this.type !== recordType.OPT
  }

  /** Walks all records to find the OPT; a count that the packet does not hold is an error. */
  #readRecords(packet: Uint8Array): boolean {
    const before = readUint16(packet, 6) + readUint16(packet, 8)
    const count = before + readUint16(packet, 10)
    let at = this.questionEnd
    for (let index = 0; index < count; index++) {
      const nameEnd = skipName(packet, at, packet.length)
      if (nameEnd < 0 || nameEnd + 10 > packet.length) return false
      const dataStart = nameEnd + 10
      const dataEnd = dataStart + readUint16(packet, nameEnd + 8)
      if (dataEnd > packet.length) return false
      const isOpt = index >= before && readUint16(packet, nameEnd) === recordType.OPT
      if (isOpt && !this.#readOpt(packet, at, nameEnd, dataEnd)) return false
      at = dataEnd
    }
    return true
  }

  /** RFC 6891 section 6.1: one OPT, owned by the root. */
  #readOpt(packet: Uint8Array, ownerAt: number, nameEnd: number, dataEnd: number): boolean {
    if (this.hasEdns || packet[ownerAt] !== 0) return false
    this.#ednsVersion = packet[nameEnd + 5] ?? 0
    if (this.#ednsVersion === 0) {
      const cookieAt = readOptions(packet, nameEnd + 10, dataEnd)
      if (cookieAt === brokenOptions) return false
      this.cookieAt = cookieAt
    }
    this.hasEdns = true
    this.#offeredUdpSize = readUint16(packet, nameEnd + 2)
    this.dnssecOk = ((packet[nameEnd + 6] ?? 0) & 0x80) !== 0
    return true
  }
}
