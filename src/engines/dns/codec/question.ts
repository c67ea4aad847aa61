import { concatBytes, readUint16, writeUint16 } from './bytes.ts'
import { writeOpt } from './edns.ts'
import { foldCase } from './name.ts'
import { classInternet, extendedError, headerFlag, headerLength, optLength, responseCode } from './numbers.ts'

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

/**
 * A query for an upstream. Of the client's EDNS only DO goes on: its cookie, subnet and padding are between it and us.
 * Authentic data is always asked for (RFC 6840 section 5.7), so that one cached answer can serve all clients.
 */
export function writeUpstreamQuery(question: Question, id: number): Uint8Array {
  const head = new Uint8Array(headerLength)
  const flags = headerFlag.recursionDesired | headerFlag.authenticData
  writeUint16(head, 0, id)
  writeUint16(head, 2, question.checkingDisabled ? flags | headerFlag.checkingDisabled : flags)
  writeUint16(head, 4, 1)
  writeUint16(head, 10, 1)
  const tail = new Uint8Array(4 + optLength)
  writeUint16(tail, 0, question.type)
  writeUint16(tail, 2, classInternet)
  writeOpt(tail, 4, responseCode.NOERROR, question.dnssecOk, extendedError.none)
  return concatBytes([head, question.name, tail])
}

/** Is this the response to that question? Upstreams may change the case of the name, nothing else. */
export function echoesQuestion(packet: Uint8Array, question: Question): boolean {
  const typeAt = headerLength + question.name.length
  if (packet.length < typeAt + 4 || readUint16(packet, 4) !== 1) return false
  if (readUint16(packet, typeAt) !== question.type || readUint16(packet, typeAt + 2) !== classInternet) return false
  return question.name.every((byte, index) => foldCase(packet[headerLength + index] ?? 0) === byte)
}
