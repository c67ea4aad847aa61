import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findRepeats } from './repeats.ts'
import { dhcp, frame, macBytes, tcp, udp } from './testing.ts'

const dns = Buffer.alloc(20, 7)
const discover = frame('out', 17, udp(68, 67, dhcp(1, macBytes)))
const offer = frame('in', 17, udp(67, 68, dhcp(2, macBytes)))
const request = frame('out', 17, udp(68, 67, dhcp(3, macBytes)))
const ack = frame('in', 17, udp(67, 68, dhcp(5, macBytes)))
const question = frame('out', 17, udp(4000, 53, dns))
const answer = frame('in', 17, udp(53, 4000, dns))
const connect = frame('out', 6, tcp(2))
/** The builder's ports are the same in both directions; an answer has them the other way round. */
const accept = (() => {
  const bytes = frame('in', 6, tcp(0x12))
  bytes.writeUInt16BE(443, 34)
  bytes.writeUInt16BE(40_000, 36)
  return bytes
})()

const repeatsIn = (...all: Buffer[]) =>
  findRepeats(all.map((bytes, index) => ({ epochMs: index * 1000, bytes }))).map(
    ({ what, answered, afterMs }) => `${what.split(' ')[0]} ${answered ? 'answered' : 'unanswered'} ${afterMs}`,
  )

describe('who had to ask twice', () => {
  it('is nobody where each is answered once', () => {
    expect(repeatsIn(discover, offer, request, ack, question, answer, connect, accept)).toEqual([])
  })

  it.each([
    ['DISCOVER', discover, offer],
    ['REQUEST', request, ack],
    ['DNS', question, answer],
    ['TCP', connect, accept],
  ])('is seen for %s, with whether the answer had been sent', (name, asked, answered) => {
    expect(repeatsIn(asked, asked, answered)).toEqual([`${name} unanswered 1000`])
    expect(repeatsIn(asked, answered, asked)).toEqual([`${name} answered 2000`])
  })

  it('is found in any bytes', () => {
    const any = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(any, fc.constantFrom(6, 17), (bytes, protocol) => {
        repeatsIn(bytes, frame('in', protocol, bytes), frame('out', 17, udp(68, 67, bytes)))
      }),
    )
  })
})
