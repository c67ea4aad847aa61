import { readUint16, writeUint16 } from './bytes.ts'
import { cookieOption, extendedError, extendedErrorOption, optLength, recordType, udpPayloadLimit } from './numbers.ts'

/** Walks the options of an OPT record. A cookie is 8 bytes, or 16 to 40 with the server's part (RFC 7873 section 5.2). */
export function readOptions(packet: Uint8Array, start: number, end: number): 'plain' | 'with-cookie' | 'broken' {
  let hasCookie = false
  let at = start
  while (at < end) {
    if (at + 4 > end) return 'broken'
    const length = readUint16(packet, at + 2)
    if (at + 4 + length > end) return 'broken'
    if (readUint16(packet, at) === cookieOption) {
      if (length !== 8 && (length < 16 || length > 40)) return 'broken'
      hasCookie = true
    }
    at += 4 + length
  }
  return hasCookie ? 'with-cookie' : 'plain'
}

/** How long the OPT record of a reply will be. */
export function optRecordLength(error: number): number {
  return error === extendedError.none ? optLength : optLength + 6
}

/** Writes an OPT record; the offset behind it. `responseCode` is the whole, extended one. */
export function writeOpt(out: Uint8Array, at: number, responseCode: number, dnssecOk: boolean, error: number): number {
  out[at] = 0
  writeUint16(out, at + 1, recordType.OPT)
  writeUint16(out, at + 3, udpPayloadLimit)
  out[at + 5] = responseCode >>> 4
  out[at + 6] = 0
  out[at + 7] = dnssecOk ? 0x80 : 0
  out[at + 8] = 0
  if (error === extendedError.none) {
    writeUint16(out, at + 9, 0)
    return at + optLength
  }
  writeUint16(out, at + 9, 6)
  writeUint16(out, at + 11, extendedErrorOption)
  writeUint16(out, at + 13, 2)
  writeUint16(out, at + 15, error)
  return at + optLength + 6
}
