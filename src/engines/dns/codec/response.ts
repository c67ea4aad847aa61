import { type Answer, noOffsets, serverFailure } from './answer.ts'
import { readUint16, readUint32, sliceBytes, writeUint32 } from './bytes.ts'
import { skipName } from './name.ts'
import { headerFlag, opcodeMask, recordType, responseCode, responseCodeMask } from './numbers.ts'
import { echoesQuestion, type Question } from './question.ts'

/** A response of an upstream, taken apart as far as passing it on and keeping it needs. */
export interface UpstreamResponse {
  readonly answer: Answer
  readonly truncated: boolean
  /** How long it may be kept; 0 = not at all. */
  readonly lifetimeSeconds: number
}

/** Where the parts of one record are. */
interface RecordPlace {
  readonly type: number
  readonly ttlAt: number
  readonly dataAt: number
  readonly end: number
}

/**
 * Undefined: not a response to this question, or not a whole message. TTLs are cut to `longestTtlSeconds`.
 * The OPT record and what stands behind it are left out: they are between us and the upstream.
 */
export function readResponse(
  packet: Uint8Array,
  question: Question,
  longestTtlSeconds: number,
): UpstreamResponse | undefined {
  const flags = readUint16(packet, 2)
  const isResponse = (flags & headerFlag.response) !== 0 && (flags & opcodeMask) === 0
  if (!isResponse || !echoesQuestion(packet, question)) return undefined
  const truncated = (flags & headerFlag.truncated) !== 0
  const counts = { answer: readUint16(packet, 6), authority: readUint16(packet, 8), additional: 0 }
  const bodyAt = 12 + question.name.length + 4
  const body: RecordPlace[] = []
  let extendedCode = 0
  const promised = counts.answer + counts.authority + readUint16(packet, 10)
  for (let at = bodyAt; body.length < promised; ) {
    const record = recordAt(packet, at, at)
    if (record === undefined || !pointsBack(packet, record)) return truncated ? truncatedResponse : undefined
    if (body.length >= counts.answer + counts.authority) {
      if (record.type === recordType.OPT) {
        extendedCode = packet[record.ttlAt] ?? 0
        break
      }
      counts.additional++
    }
    body.push(record)
    at = record.end
  }

  const code = (flags & responseCodeMask) | (extendedCode << 4)
  const bytes = sliceBytes(packet, bodyAt, body.at(-1)?.end ?? bodyAt)
  const ttlOffsets = body.map((record) => record.ttlAt - bodyAt)
  for (const [index, record] of body.entries()) {
    // RFC 2308 section 5: who keeps a negative answer goes by the TTL of its SOA, less the time that it was kept here.
    const longest = index < counts.answer ? longestTtlSeconds : Math.min(longestTtlSeconds, minimumOf(packet, record))
    writeUint32(bytes, record.ttlAt - bodyAt, Math.min(readTtl(packet, record.ttlAt), longest))
  }
  return {
    truncated,
    lifetimeSeconds: truncated ? 0 : Math.min(lifetime(packet, question, body, counts, code), longestTtlSeconds),
    answer: {
      responseCode: code,
      flags: flags & headerFlag.authenticData,
      answerCount: counts.answer,
      authorityCount: counts.authority,
      additionalCount: counts.additional,
      body: bytes,
      apexPointers: noOffsets,
      apexLength: 0,
      ttlOffsets,
    },
  }
}

/**
 * Is this how a server says that it does not know EDNS (RFC 6891 section 7)? It has no OPT record, and often nothing
 * but a header.
 */
export function refusesEdns(packet: Uint8Array): boolean {
  const flags = readUint16(packet, 2)
  const code = flags & responseCodeMask
  const isRefusal = code === responseCode.FORMERR || code === responseCode.NOTIMP
  return (flags & headerFlag.response) !== 0 && isRefusal && readUint16(packet, 10) === 0
}

/** Cut in the middle of a record: all it says is "ask again over TCP". */
const truncatedResponse: UpstreamResponse = { truncated: true, lifetimeSeconds: 0, answer: serverFailure }

function recordAt(packet: Uint8Array, start: number, pointsBefore?: number): RecordPlace | undefined {
  const nameEnd = skipName(packet, start, packet.length, pointsBefore)
  if (nameEnd < 0 || nameEnd + 10 > packet.length) return undefined
  const dataAt = nameEnd + 10
  const end = dataAt + readUint16(packet, nameEnd + 8)
  if (end > packet.length) return undefined
  return { type: readUint16(packet, nameEnd), ttlAt: nameEnd + 4, dataAt, end }
}

/** Records that are nothing but a name, which a client would follow in circles if it led forward. */
const namingTypes: readonly number[] = [recordType.CNAME, recordType.NS, recordType.PTR]

function pointsBack(packet: Uint8Array, { type, dataAt, end }: RecordPlace): boolean {
  return !namingTypes.includes(type) || skipName(packet, dataAt, end, dataAt) === end
}

/** RFC 2181 section 8: a TTL with the highest bit set is zero. */
function readTtl(bytes: Uint8Array, at: number): number {
  const ttl = readUint32(bytes, at)
  return ttl > longestTtl ? 0 : ttl
}

/** Positive answers live as long as their shortest record, negative ones as their SOA says (RFC 2308 section 5). */
function lifetime(
  packet: Uint8Array,
  question: Question,
  body: readonly RecordPlace[],
  counts: { readonly answer: number; readonly authority: number },
  code: number,
): number {
  if (code !== responseCode.NOERROR && code !== responseCode.NXDOMAIN) return 0
  const answers = body.slice(0, counts.answer)
  const hasWhatWasAsked = answers.some((record) => record.type === question.type)
  const shortest = body.reduce((least, record) => Math.min(least, readTtl(packet, record.ttlAt)), longestTtl)
  if (code === responseCode.NOERROR && hasWhatWasAsked) return shortest
  const soa = body
    .slice(counts.answer, counts.answer + counts.authority)
    .find((record) => record.type === recordType.SOA)
  return soa === undefined || !isWholeSoa(soa) ? 0 : Math.min(shortest, minimumOf(packet, soa))
}

const longestTtl = 0x7fffffff

/** The field MINIMUM of a SOA; as long as can be for any other record. */
function minimumOf(packet: Uint8Array, record: RecordPlace): number {
  return isWholeSoa(record) ? readTtl(packet, record.end - 4) : longestTtl
}

function isWholeSoa({ type, dataAt, end }: RecordPlace): boolean {
  return type === recordType.SOA && end - dataAt >= 22
}

/** The addresses in a response's answer, for a name whose target this server has to know itself. */
export function addressesIn(answer: Answer, type: number): Uint8Array[] {
  const length = type === recordType.A ? 4 : 16
  const found: Uint8Array[] = []
  let at = 0
  for (let index = 0; index < answer.answerCount; index++) {
    const record = recordAt(answer.body, at)
    if (record === undefined) return found
    if (record.type === type && record.end - record.dataAt === length) {
      found.push(sliceBytes(answer.body, record.dataAt, record.end))
    }
    at = record.end
  }
  return found
}
