import { decode, encode, type Answer as Record } from 'dns-packet'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeName } from './name.ts'
import { extendedError, recordType } from './numbers.ts'
import { Query } from './query.ts'
import { echoesQuestion, formWithoutEdns, type Question, upstreamQuery, usualForm } from './question.ts'
import { writeReply } from './reply.ts'
import { addressesIn, readResponse } from './response.ts'

const name = 'www.example.net'
const question: Question = {
  name: encodeName(name),
  hash: 0,
  type: recordType.A,
  dnssecOk: false,
  checkingDisabled: false,
}
const a = (ttl: number, data = '192.0.2.1'): Record => ({ name, type: 'A', ttl, data })
const soa = (ttl: number, minimum: number): Record => ({
  name: 'example.net',
  type: 'SOA',
  ttl,
  data: { mname: 'ns.example.net', rname: 'x.example.net', serial: 1, refresh: 1, retry: 1, expire: 1, minimum },
})

interface Parts {
  readonly flags?: number
  readonly answers?: Record[]
  readonly authorities?: Record[]
  readonly additionals?: Record[]
}

function response({ flags = 0x8180, ...parts }: Parts): Uint8Array {
  return encode({
    type: flags & 0x8000 ? 'response' : 'query',
    id: 1,
    flags,
    questions: [{ name: 'WWW.example.net', type: 'A' }],
    ...parts,
  })
}

describe('how long a response may be kept', () => {
  it.each<[string, Parts, number]>([
    ['as long as its shortest record', { answers: [a(300), a(20, '192.0.2.2')], authorities: [soa(60, 60)] }, 20],
    ['not longer than we were told', { answers: [a(86_400)] }, 1000],
    ['not at all with TTL 0', { answers: [a(0)] }, 0],
    ['a TTL with its highest bit set is 0', { answers: [a(0x80000001)] }, 0],
    [
      'a chain of aliases, with its end',
      {
        answers: [
          { name, type: 'CNAME', ttl: 9, data: 'b.example.net' },
          { ...a(30), name: 'b.example.net' },
        ],
      },
      9,
    ],
    ['no such name: TTL of the SOA', { flags: 0x8183, authorities: [soa(40, 300)] }, 40],
    ['no such name: minimum of the SOA', { flags: 0x8183, authorities: [soa(300, 50)] }, 50],
    ['no data: as no such name', { authorities: [soa(300, 60)] }, 60],
    [
      'an alias without its end: a negative answer',
      { answers: [{ name, type: 'CNAME', ttl: 9, data: 'b.example.net' }], authorities: [soa(300, 60)] },
      9,
    ],
    ['a negative answer without SOA: not at all', { flags: 0x8183 }, 0],
    ['a failure: not at all', { flags: 0x8182, answers: [a(300)] }, 0],
    ['truncated: not at all', { flags: 0x8380, answers: [a(300)] }, 0],
  ])('%s', (_text, parts, expected) => {
    expect(readResponse(response(parts), question, 1000)?.lifetimeSeconds).toBe(expected)
  })
})

describe('a response passed on', () => {
  const opt = {
    type: 'OPT',
    name: '.',
    udpPayloadSize: 4096,
    flags: 0,
    ednsVersion: 0,
    extendedRcode: 0,
    options: [],
  } as unknown as Record
  const packet = response({
    answers: [a(300), a(20, '192.0.2.2')],
    authorities: [soa(60, 60)],
    additionals: [{ ...a(70), name: 'x.net' }, opt],
  })

  it("has its TTLs counted down, the upstream's OPT left out and the client's spelling kept", () => {
    const client = new Query(1)
    client.parse(encode({ id: 99, flags: 0x0100, questions: [{ name: 'wWw.Example.NET', type: 'A' }] }), 'udp')
    const read = readResponse(packet, question, 1000)
    const out = Buffer.alloc(1232)
    const length = read ? writeReply(out, 0, client, read.answer, true, 30, extendedError.none) : 0
    const reply = decode(out.subarray(0, length))
    expect(reply).toMatchObject({ id: 99, flag_ra: true, flag_aa: false, questions: [{ name: 'wWw.Example.NET' }] })
    expect(reply.answers).toMatchObject([
      { ttl: 270, data: '192.0.2.1' },
      { ttl: 0, data: '192.0.2.2' },
    ])
    expect(reply.authorities).toMatchObject([{ type: 'SOA', ttl: 30 }])
    expect(reply.additionals).toMatchObject([{ name: 'x.net', ttl: 40 }])
  })

  it('that there is no such name is kept by nobody for longer than its SOA says (RFC 2308 section 5)', () => {
    const client = new Query(1)
    client.parse(encode({ id: 99, flags: 0x0100, questions: [{ name, type: 'A' }] }), 'udp')
    const read = readResponse(response({ flags: 0x8183, authorities: [soa(300, 20)] }), question, 1000)
    const out = Buffer.alloc(1232)
    const length = read ? writeReply(out, 0, client, read.answer, true, 15, extendedError.none) : 0
    expect([read?.lifetimeSeconds, decode(out.subarray(0, length)).authorities]).toMatchObject([20, [{ ttl: 5 }]])
  })

  it('gives the addresses of its answer', () => {
    const read = readResponse(packet, question, 1000)
    expect(read && addressesIn(read.answer, recordType.A).map((bytes) => bytes.join('.'))).toEqual([
      '192.0.2.1',
      '192.0.2.2',
    ])
  })
})

describe('what is no response to the question', () => {
  it.each<[string, Uint8Array]>([
    ['a query', response({ flags: 0x0100 })],
    [
      'another name',
      encode({ type: 'response', id: 1, flags: 0x8180, questions: [{ name: 'evil.example.net', type: 'A' }] }),
    ],
    ['another type', encode({ type: 'response', id: 1, flags: 0x8180, questions: [{ name, type: 'AAAA' }] })],
    ['no question', encode({ type: 'response', id: 1, flags: 0x8180 })],
    ['cut short', response({ answers: [a(300)] }).subarray(0, 40)],
    ['nothing', new Uint8Array(0)],
  ])('%s', (_text, packet) => {
    expect(readResponse(packet, question, 1000)).toBeUndefined()
  })

  /** One record behind the question, which ends at 33; its owner and data are given byte by byte. */
  const withRecord = (owner: readonly number[], type: number, data: readonly number[]) => {
    const packet = response({})
    packet[7] = 1
    return Uint8Array.of(...packet, ...owner, 0, type, 0, 1, 0, 0, 0, 9, 0, data.length, ...data)
  }
  const [toQuestion, toItself] = [
    [0xc0, 12],
    [0xc0, 33],
  ]

  it.each<[string, Uint8Array, boolean]>([
    ['owner, to the question', withRecord(toQuestion, recordType.A, [192, 0, 2, 1]), true],
    ['owner, to itself', withRecord(toItself, recordType.A, [192, 0, 2, 1]), false],
    ['owner, in a circle over a label', withRecord([1, 97, ...toItself], recordType.A, [192, 0, 2, 1]), false],
    ['owner, beyond the end', withRecord([0xff, 0xff], recordType.A, [192, 0, 2, 1]), false],
    ['alias, to the question', withRecord(toQuestion, recordType.CNAME, [1, 98, ...toQuestion]), true],
    ['alias, to itself', withRecord(toQuestion, recordType.CNAME, [0xc0, 45]), false],
    ['alias, not all of the data', withRecord(toQuestion, recordType.CNAME, [0, 0]), false],
  ])('a pointer of the %s', (_text, packet, isRight) => {
    expect(readResponse(packet, question, 1000) !== undefined).toBe(isRight)
  })

  it('cut short with TC set, it still says "ask over TCP"', () => {
    const packet = response({ flags: 0x8380, answers: [a(300)] }).subarray(0, 40)
    expect(readResponse(packet, question, 1000)?.truncated).toBe(true)
  })

  it('any bytes after a good header give a value, never an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), fc.uint8Array({ minLength: 8, maxLength: 8 }), (tail, counts) => {
        const packet = Uint8Array.of(
          0,
          1,
          0x81,
          0x80,
          0,
          1,
          ...counts.subarray(2),
          ...encodeName(name),
          0,
          1,
          0,
          1,
          ...tail,
        )
        readResponse(packet, question, 1000)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a query for an upstream', () => {
  it('asks for recursion and authentic data, with DO and CD as the client had them', () => {
    const bits = [false, true].map((bit) => {
      const packet = decode(
        Buffer.from(upstreamQuery({ ...question, dnssecOk: bit, checkingDisabled: bit }, 7, usualForm)),
      )
      const [opt] = packet.additionals ?? []
      return [packet.id, packet.flag_rd, packet.flag_ad, packet.flag_cd, opt && 'flag_do' in opt && opt.flag_do]
    })
    expect(bits).toEqual([
      [7, true, true, false, false],
      [7, true, true, true, true],
    ])
  })

  it('can do without EDNS', () => {
    const packet = decode(Buffer.from(upstreamQuery(question, 7, formWithoutEdns)))
    expect(packet).toMatchObject({ id: 7, additionals: [], questions: [{ type: 'A' }] })
  })

  it('can be padded, so that its length says nothing of the name', () => {
    const lengths = [1, 5, 40, 60, 63].map((length) => {
      const name = encodeName('n'.repeat(length))
      const packet = upstreamQuery({ ...question, name }, 7, { edns: true, padTo: 128 })
      expect(decode(Buffer.from(packet)).additionals).toMatchObject([{ options: [{ code: 12 }] }])
      return packet.length
    })
    expect(lengths).toEqual([128, 128, 128, 128, 128])
  })

  it('is recognised in a response whose name is in another case', () => {
    expect(echoesQuestion(response({}), question)).toBe(true)
  })
})
