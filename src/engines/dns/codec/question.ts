import { copyBytes, readUint16, writeUint16 } from './bytes.ts'
import { writeOpt } from './edns.ts'
import { foldCase } from './name.ts'
import {
  classInternet,
  extendedError,
  headerFlag,
  headerLength,
  optLength,
  paddingOption,
  responseCode,
} from './numbers.ts'

/** What an upstream is asked, and what its answer is kept under. */
export interface Question {
  /** Lower case, wire form. */
  readonly name: Uint8Array
  readonly hash: number
  readonly type: number
  readonly dnssecOk: boolean
  readonly checkingDisabled: boolean
}

/** With the name, the whole key of a question: the class is always IN, others are refused before. */
export function questionTag(type: number, dnssecOk: boolean, checkingDisabled: boolean): number {
  return type * 4 + (dnssecOk ? 2 : 0) + (checkingDisabled ? 1 : 0)
}

/** The question that has this tag. */
export function questionOfTag(name: Uint8Array, hash: number, tag: number): Question {
  return { name, hash, type: tag >> 2, dnssecOk: (tag & 2) !== 0, checkingDisabled: (tag & 1) !== 0 }
}

/** How a query for an upstream is to look. */
export interface QueryForm {
  readonly edns: boolean
  /** Make its length a multiple of this (RFC 7830); 0 = leave it as it is. */
  readonly padTo: number
}

export const usualForm: QueryForm = { edns: true, padTo: 0 }
/** For upstreams older than EDNS, or behind something that is. */
export const formWithoutEdns: QueryForm = { edns: false, padTo: 0 }

/**
 * A query for an upstream. Of the client's EDNS only DO goes on: its cookie, subnet and padding are between it and us.
 * Authentic data is always asked for (RFC 6840 section 5.7), so that one cached answer can serve all clients.
 */
export function upstreamQuery(question: Question, id: number, form: QueryForm): Uint8Array {
  const packet = new Uint8Array(upstreamQueryLimit)
  return packet.subarray(0, writeUpstreamQuery(packet, question, id, form))
}

/** The header, the longest name, type and class, and an OPT record that is padded to the next half kibibyte. */
export const upstreamQueryLimit = headerLength + 255 + 4 + optLength + 512

/** The same into a buffer of `upstreamQueryLimit` bytes; the length is returned. */
export function writeUpstreamQuery(
  packet: Uint8Array,
  question: Question,
  id: number,
  { edns, padTo }: QueryForm,
): number {
  const { name, type, dnssecOk, checkingDisabled } = question
  const optAt = headerLength + name.length + 4
  const padding = padTo === 0 ? 0 : paddingFor(optAt + optLength, padTo)
  const flags = headerFlag.recursionDesired | headerFlag.authenticData
  writeUint16(packet, 0, id)
  writeUint16(packet, 2, checkingDisabled ? flags | headerFlag.checkingDisabled : flags)
  writeUint16(packet, 4, 1)
  writeUint16(packet, 6, 0)
  writeUint16(packet, 8, 0)
  writeUint16(packet, 10, edns ? 1 : 0)
  copyBytes(name, 0, name.length, packet, headerLength)
  writeUint16(packet, optAt - 4, type)
  writeUint16(packet, optAt - 2, classInternet)
  if (!edns) return optAt
  writeOpt(packet, optAt, responseCode.NOERROR, dnssecOk, extendedError.none, undefined)
  if (padding > 0) {
    writeUint16(packet, optAt + 9, padding)
    writeUint16(packet, optAt + optLength, paddingOption)
    writeUint16(packet, optAt + optLength + 2, padding - 4)
    packet.fill(0, optAt + optLength + 4, optAt + optLength + padding)
  }
  return optAt + optLength + padding
}

/** How long a padding option must be, with its four bytes of head, behind so many bytes. */
function paddingFor(length: number, padTo: number): number {
  const missing = (padTo - ((length + 4) % padTo)) % padTo
  return missing + 4
}

/** Is this the response to that question? Upstreams may change the case of the name, nothing else. */
export function echoesQuestion(packet: Uint8Array, question: Question): boolean {
  const typeAt = headerLength + question.name.length
  if (packet.length < typeAt + 4 || readUint16(packet, 4) !== 1) return false
  if (readUint16(packet, typeAt) !== question.type || readUint16(packet, typeAt + 2) !== classInternet) return false
  const { name } = question
  for (let index = 0; index < name.length; index++) {
    if (foldCase(packet[headerLength + index] ?? 0) !== name[index]) return false
  }
  return true
}
