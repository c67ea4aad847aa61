import { headerFlag, responseCode } from './numbers.ts'

/**
 * An answer in wire form, made once and sent many times: everything that follows the question. It does not contain
 * the question's name, only pointers to it, so one answer serves every spelling of the name and every name under a
 * wildcard.
 */
export interface Answer {
  readonly responseCode: number
  /** Header bits that belong to this answer: authoritative, authentic data. */
  readonly flags: number
  readonly answerCount: number
  readonly authorityCount: number
  readonly additionalCount: number
  readonly body: Uint8Array
  /** Where in `body` a pointer to the zone's apex belongs; the apex is the last `apexLength` bytes of the question's name. */
  readonly apexPointers: readonly number[]
  readonly apexLength: number
  /** Where in `body` the TTLs stand that count down while the answer lies in the cache. */
  readonly ttlOffsets: readonly number[]
}

const nothing = new Uint8Array(0)
/** One for all: there are tens of thousands of answers. */
export const noOffsets: readonly number[] = []

/** No records, only a response code. */
export function bareAnswer(code: number, flags = 0): Answer {
  return {
    responseCode: code,
    flags,
    answerCount: 0,
    authorityCount: 0,
    additionalCount: 0,
    body: nothing,
    apexPointers: noOffsets,
    apexLength: 0,
    ttlOffsets: noOffsets,
  }
}

export const formatError = bareAnswer(responseCode.FORMERR)
export const serverFailure = bareAnswer(responseCode.SERVFAIL)
export const notImplemented = bareAnswer(responseCode.NOTIMP)
export const refused = bareAnswer(responseCode.REFUSED)
export const badVersion = bareAnswer(responseCode.BADVERS)
export const noData = bareAnswer(responseCode.NOERROR)

/** RFC 8482 section 4.2: ANY is answered with one HINFO record that says so, whatever else the name has. */
function minimalAny(flags: number): Answer {
  const ttl = [0, 0, 0x0e, 0x10]
  const text = [7, ...Array.from('RFC8482', (character) => character.charCodeAt(0)), 0]
  const body = Uint8Array.of(0xc0, 0x0c, 0, 13, 0, 1, ...ttl, 0, text.length, ...text)
  return { ...bareAnswer(responseCode.NOERROR, flags), answerCount: 1, body }
}

export const anyOfOurs = minimalAny(headerFlag.authoritative)
export const anyOfOthers = minimalAny(0)
