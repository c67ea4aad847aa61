import { describe, expect, it } from 'vitest'
import { encodeName } from '../codec/name.ts'
import { Bench, dnsServer, domain } from '../testing.ts'

/** Header: id 0x1234, the flags, and the four counts. */
function header(flags: number, ...counts: readonly number[]): number[] {
  return [0x12, 0x34, flags >> 8, flags & 255, ...[0, 1, 2, 3].flatMap((index) => uint16(counts[index] ?? 0))]
}

function uint16(value: number): number[] {
  return [value >> 8, value & 255]
}

function question(name: readonly number[] = [...encodeName(`api.${domain}`)], type = 1, qclass = 1): number[] {
  return [...name, ...uint16(type), ...uint16(qclass)]
}

interface Opt {
  readonly owner?: readonly number[]
  readonly version?: number
  readonly data?: readonly number[]
  readonly length?: number
}

function opt({ owner = [0], version = 0, data = [], length }: Opt = {}): number[] {
  return [...owner, 0, 41, ...uint16(1232), 0, version, 0, 0, ...uint16(length ?? data.length), ...data]
}

const cookie = (length: number) => [0, 10, ...uint16(length), ...Array.from({ length }, () => 7)]
const label = (length: number) => [length, ...Array.from({ length }, () => 97)]
const longName = [...label(63), ...label(63), ...label(63), ...label(63), 0]
const rd = 0x0100

/** What a packet gets: nothing, or a response code (16 and above from the OPT record). */
function outcomeOf(packet: readonly number[]): string | number {
  const reply = new Bench(dnsServer()).send(Uint8Array.from(packet))
  if (typeof reply === 'string') return reply
  expect([...reply.subarray(0, 2)]).toEqual([0x12, 0x34])
  expect((reply[2] ?? 0) & 0x80).toBe(0x80)
  const hasOpt = ((reply[10] ?? 0) << 8) + (reply[11] ?? 0) > 0
  const isOptAt = (at: number) => reply[at + 2] === 41 && at + 11 + (reply[at + 10] ?? 0) === reply.length
  const optAt = reply.findLastIndex((_byte, at) => isOptAt(at))
  return ((reply[3] ?? 0) & 15) + (hasOpt ? (reply[optAt + 5] ?? 0) * 16 : 0)
}

const [noError, formErr, notImp, refused, badVers] = [0, 1, 4, 5, 16]

describe('broken and unusual packets', () => {
  it.each<[string, readonly number[], string | number]>([
    ['nothing at all', [], 'none'],
    ['11 bytes', header(rd, 1).slice(0, 11), 'none'],
    ['a response', [...header(0x8180, 1), ...question()], 'none'],
    ['a response with opcode 5', [...header(0xa800, 1), ...question()], 'none'],
    ['no question', header(rd), formErr],
    ['no question, a cookie', [...header(rd, 0, 0, 0, 1), ...opt({ data: cookie(8) })], noError],
    ['no question, EDNS without cookie', [...header(rd, 0, 0, 0, 1), ...opt()], formErr],
    ['two questions', [...header(rd, 2), ...question(), ...question()], formErr],
    ['65535 questions', [...header(rd, 65_535), ...question()], formErr],
    ['a label of 64', [...header(rd, 1), ...question([...label(64), 0])], formErr],
    ['a label type 0x80', [...header(rd, 1), ...question([0x80, 1, 0])], formErr],
    ['a name of 257', [...header(rd, 1), ...question(longName)], formErr],
    ['a pointer to itself', [...header(rd, 1), ...question([0xc0, 0x0c])], formErr],
    ['a pointer into the header', [...header(rd, 1), ...question([0xc0, 0x00])], formErr],
    ['a name that does not end', [...header(rd, 1), 3, 97, 98], formErr],
    ['no type and class', [...header(rd, 1), ...encodeName(`api.${domain}`)], formErr],
    ['OPT as type', [...header(rd, 1), ...question(undefined, 41)], formErr],
    ['opcode STATUS', [...header(0x1000, 1), ...question()], notImp],
    ['opcode NOTIFY', [...header(0x2000, 1), ...question()], notImp],
    ['opcode UPDATE', [...header(0x2800, 1), ...question()], notImp],
    ['opcode 15', header(0x7800), notImp],
    ['two OPT records', [...header(rd, 1, 0, 0, 2), ...question(), ...opt(), ...opt()], formErr],
    [
      'an OPT record not owned by the root',
      [...header(rd, 1, 0, 0, 1), ...question(), ...opt({ owner: [1, 97, 0] })],
      formErr,
    ],
    ['EDNS version 1', [...header(rd, 1, 0, 0, 1), ...question(), ...opt({ version: 1 })], badVers],
    ['EDNS version 255', [...header(rd, 1, 0, 0, 1), ...question(), ...opt({ version: 255 })], badVers],
    [
      'an option longer than the OPT record',
      [...header(rd, 1, 0, 0, 1), ...question(), ...opt({ data: [0, 3, 0, 9, 1] })],
      formErr,
    ],
    ['half an option header', [...header(rd, 1, 0, 0, 1), ...question(), ...opt({ data: [0, 3] })], formErr],
    [
      'an OPT record longer than the packet',
      [...header(rd, 1, 0, 0, 1), ...question(), ...opt({ length: 40 })],
      formErr,
    ],
    ['an unknown option', [...header(rd, 1, 0, 0, 1), ...question(), ...opt({ data: [0xff, 0xfe, 0, 1, 0] })], noError],
    ['a cookie of 7', [...header(rd, 1, 0, 0, 1), ...question(), ...opt({ data: cookie(7) })], formErr],
    ['a cookie of 8', [...header(rd, 1, 0, 0, 1), ...question(), ...opt({ data: cookie(8) })], noError],
    ['a cookie of 9', [...header(rd, 1, 0, 0, 1), ...question(), ...opt({ data: cookie(9) })], formErr],
    ['a cookie of 16', [...header(rd, 1, 0, 0, 1), ...question(), ...opt({ data: cookie(16) })], noError],
    ['a cookie of 40', [...header(rd, 1, 0, 0, 1), ...question(), ...opt({ data: cookie(40) })], noError],
    ['a cookie of 41', [...header(rd, 1, 0, 0, 1), ...question(), ...opt({ data: cookie(41) })], formErr],
    ['an answer promised and not there', [...header(rd, 1, 1), ...question()], formErr],
    ['65535 additional records promised', [...header(rd, 1, 0, 0, 65_535), ...question(), ...opt()], formErr],
    ['class HS', [...header(rd, 1), ...question(undefined, 1, 4)], refused],
    ['class CH', [...header(rd, 1), ...question([...encodeName('version.bind')], 16, 3)], refused],
    ['class ANY', [...header(rd, 1), ...question(undefined, 1, 255)], refused],
    ['AXFR', [...header(rd, 1), ...question(undefined, 252)], refused],
    ['TKEY', [...header(rd, 1), ...question(undefined, 249)], refused],
    ['bytes after the end', [...header(rd, 1), ...question(), 1, 2, 3], noError],
    ['the Z bit', [...header(0x0140, 1), ...question()], noError],
  ])('%s', (_text, packet, expected) => {
    expect(outcomeOf(packet)).toBe(expected)
  })

  it.each<[string, readonly number[], number]>([
    ['with EDNS', [...header(0x2000, 1, 0, 0, 1), ...question(), ...opt()], 1],
    ['without', [...header(0x2000, 1), ...question()], 0],
    ['with what only its opcode explains', [...header(0x7800, 7, 0, 0, 1), ...question(), ...opt()], 0],
  ])('an unknown opcode %s is answered in kind (RFC 6891 section 6.1.1)', (_text, packet, optCount) => {
    const reply = new Bench(dnsServer()).send(Uint8Array.from(packet))
    expect(typeof reply === 'string' ? reply : [...reply.subarray(4, 12)]).toEqual([0, 0, 0, 0, 0, 0, 0, optCount])
  })
})
