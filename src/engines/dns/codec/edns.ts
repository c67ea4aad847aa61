import { readUint16, writeUint16 } from './bytes.ts'
import { cookieOption, extendedError, extendedErrorOption, optLength, recordType, udpPayloadLimit } from './numbers.ts'

/** What `readOptions` returns besides the place of a cookie. */
export const noCookie = 0
export const brokenOptions = -1

/**
 * Walks the options of an OPT record and returns where the first cookie is (RFC 7873 section 5.2: only that one counts).
 * A cookie is 8 bytes, or 16 to 40 with the server's part; its length stands in the two bytes before it.
 */
export function readOptions(packet: Uint8Array, start: number, end: number): number {
  let cookieAt = noCookie
  let at = start
  while (at < end) {
    if (at + 4 > end) return brokenOptions
    const length = readUint16(packet, at + 2)
    if (at + 4 + length > end) return brokenOptions
    if (readUint16(packet, at) === cookieOption) {
      if (length !== 8 && (length < 16 || length > 40)) return brokenOptions
      if (cookieAt === noCookie) cookieAt = at + 4
    }
    at += 4 + length
  }
  return cookieAt
}

/** How long the OPT record of a reply will be. */
export function optRecordLength(error: number, cookie: Uint8Array | undefined): number {
  return optLength + (error === extendedError.none ? 0 : 6) + (cookie === undefined ? 0 : 4 + cookie.length)
}

/** Writes an OPT record; the offset behind it. `responseCode` is the whole, extended one. */
export function writeOpt(
  out: Uint8Array,
  at: number,
  responseCode: number,
  dnssecOk: boolean,
  error: number,
  cookie: Uint8Array | undefined,
): number {
  const length = optRecordLength(error, cookie)
  out[at] = 0
  writeUint16(out, at + 1, recordType.OPT)
  writeUint16(out, at + 3, udpPayloadLimit)
  out[at + 5] = responseCode >>> 4
  out[at + 6] = 0
  out[at + 7] = dnssecOk ? 0x80 : 0
  out[at + 8] = 0
  writeUint16(out, at + 9, length - optLength)
  let end = at + optLength
  if (cookie !== undefined) {
    writeUint16(out, end, cookieOption)
    writeUint16(out, end + 2, cookie.length)
    out.set(cookie, end + 4)
    end += 4 + cookie.length
  }
  if (error !== extendedError.none) {
    writeUint16(out, end, extendedErrorOption)
    writeUint16(out, end + 2, 2)
    writeUint16(out, end + 4, error)
  }
  return at + length
}
