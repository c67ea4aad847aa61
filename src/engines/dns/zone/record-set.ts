import { type Answer, bareAnswer } from '../codec/answer.ts'
import { writeUint16, writeUint32 } from '../codec/bytes.ts'
import { classInternet, headerFlag, recordType, responseCode } from '../codec/numbers.ts'
import type { Address } from './address.ts'

/** All records of one name and type, as the answer they make. */
export interface RecordSet {
  readonly type: number
  readonly answer: Answer
}

/** The owner is always the question's own name, so it is a pointer to it and the set fits under a wildcard too. */
export function recordSet(type: number, ttlSeconds: number, data: readonly Uint8Array[]): RecordSet {
  const body = new Uint8Array(data.reduce((sum, each) => sum + 12 + each.length, 0))
  let at = 0
  for (const each of data) {
    writeUint16(body, at, 0xc00c)
    writeUint16(body, at + 2, type)
    writeUint16(body, at + 4, classInternet)
    writeUint32(body, at + 6, ttlSeconds)
    writeUint16(body, at + 10, each.length)
    body.set(each, at + 12)
    at += 12 + each.length
  }
  const bare = bareAnswer(responseCode.NOERROR, headerFlag.authoritative)
  return { type, answer: { ...bare, answerCount: data.length, body } }
}

/** One set per address family that is there. */
export function addressSets(addresses: readonly Address[], ttlSeconds: number): RecordSet[] {
  return [recordType.A, recordType.AAAA].flatMap((type) => {
    const data = addresses.filter((address) => address.type === type).map((address) => address.bytes)
    return data.length === 0 ? [] : [recordSet(type, ttlSeconds, data)]
  })
}
