/** The numbers of the protocol that this server speaks of by name. */

export const recordType = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  HINFO: 13,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  OPT: 41,
  SVCB: 64,
  HTTPS: 65,
  TKEY: 249,
  MAILA: 254,
  ANY: 255,
} as const

export const classInternet = 1

export const responseCode = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  BADVERS: 16,
} as const

/** Bits of the second 16-bit word of the header (RFC 1035 section 4.1.1, RFC 4035 section 3). */
export const headerFlag = {
  response: 0x8000,
  authoritative: 0x0400,
  truncated: 0x0200,
  recursionDesired: 0x0100,
  recursionAvailable: 0x0080,
  authenticData: 0x0020,
  checkingDisabled: 0x0010,
} as const

const typeNames = new Map<number, string>(Object.entries(recordType).map(([name, number]) => [number, name]))
const codeNames = new Map<number, string>(Object.entries(responseCode).map(([name, number]) => [number, name]))

/** `A`, or as RFC 3597 writes a type without a name: `TYPE123`. */
export function typeName(type: number): string {
  return typeNames.get(type) ?? `TYPE${type}`
}

export function codeName(code: number): string {
  return codeNames.get(code) ?? `RCODE${code}`
}

export const opcodeMask = 0x7800
export const responseCodeMask = 0x000f
export const headerLength = 12

/** EDNS (RFC 6891) as it is spoken here. */
export const optLength = 11
export const cookieOption = 10
export const paddingOption = 12
export const extendedErrorOption = 15
/** No answer over UDP is longer: what fits every path without fragments. */
export const udpPayloadLimit = 1232
export const plainUdpLimit = 512
export const messageLimit = 65_535

/** RFC 8914: why an answer is what it is. */
export const extendedError = {
  none: -1,
  staleAnswer: 3,
  prohibited: 18,
  notAuthoritative: 20,
  networkError: 23,
} as const
