import { defaultTtlSeconds } from '../../../core/dns/names.ts'
import { type Answer, bareAnswer } from '../codec/answer.ts'
import { bytesEqual, writeUint32 } from '../codec/bytes.ts'
import { classInternet, headerFlag, recordType, responseCode } from '../codec/numbers.ts'
import type { RecordSet } from './record-set.ts'

const refreshSeconds = 7200
const retrySeconds = 1800
const expireSeconds = 604_800

/** The right to say "no" for all names at and below an apex: its SOA and NS records and the two negative answers. */
export interface Authority {
  readonly apexSets: readonly RecordSet[]
  readonly noData: Answer
  readonly noSuchName: Answer
  /** The serial number rises with each change; all answers with the SOA carry it at once. */
  setSerial(serial: number): void
}

export interface AuthoritySource {
  readonly nameServer: Uint8Array
  readonly mailbox: Uint8Array
  readonly serial: number
}

export function createAuthority(apex: Uint8Array, source: AuthoritySource): Authority {
  const ns = new ApexBody(apex).record(recordType.NS, (data) => data.name(source.nameServer))
  const soa = new ApexBody(apex).record(recordType.SOA, (data) => {
    data.name(source.nameServer).name(source.mailbox)
    for (const number of [source.serial, refreshSeconds, retrySeconds, expireSeconds, defaultTtlSeconds]) {
      data.uint32(number)
    }
  })
  const withSoa = soa.answer()
  return {
    apexSets: [
      { type: recordType.SOA, answer: { ...withSoa, answerCount: 1 } },
      { type: recordType.NS, answer: { ...ns.answer(), answerCount: 1 } },
    ],
    noData: { ...withSoa, authorityCount: 1 },
    noSuchName: { ...withSoa, authorityCount: 1, responseCode: responseCode.NXDOMAIN },
    setSerial: (serial) => writeUint32(withSoa.body, withSoa.body.length - 20, serial),
  }
}

/**
 * Writes a record owned by the apex. Names that end in the apex end in a pointer to it; where the apex stands in a
 * message depends on the question, so the places of the pointers are remembered and filled in with each reply.
 */
class ApexBody {
  readonly #apex: Uint8Array
  readonly #bytes: number[] = []
  readonly #apexPointers: number[] = []

  constructor(apex: Uint8Array) {
    this.#apex = apex
  }

  record(type: number, writeData: (body: ApexBody) => void): this {
    this.name(this.#apex).uint16(type).uint16(classInternet).uint32(defaultTtlSeconds).uint16(0)
    const dataAt = this.#bytes.length
    writeData(this)
    const length = this.#bytes.length - dataAt
    this.#bytes[dataAt - 2] = length >>> 8
    this.#bytes[dataAt - 1] = length & 255
    return this
  }

  name(wire: Uint8Array): this {
    const own = wire.length - this.#apex.length
    const endsInApex = own >= 0 && bytesEqual(wire, own, this.#apex, 0, this.#apex.length) && startsLabel(wire, own)
    this.#bytes.push(...(endsInApex ? wire.subarray(0, own) : wire))
    if (endsInApex) {
      this.#apexPointers.push(this.#bytes.length)
      this.uint16(0xc000)
    }
    return this
  }

  uint16(value: number): this {
    this.#bytes.push(value >>> 8, value & 255)
    return this
  }

  uint32(value: number): this {
    return this.uint16(value >>> 16).uint16(value & 0xffff)
  }

  answer(): Answer {
    return {
      ...bareAnswer(responseCode.NOERROR, headerFlag.authoritative),
      body: Uint8Array.from(this.#bytes),
      apexPointers: this.#apexPointers,
      apexLength: this.#apex.length,
    }
  }
}

/** Does a label of this name begin at `offset`? (The bytes inside a label could look like a name themselves.) */
function startsLabel(wire: Uint8Array, offset: number): boolean {
  let at = 0
  while (at < offset) at += (wire[at] ?? 0) + 1
  return at === offset
}
