import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type OptionText, type PacketText, packet } from '../testing/packets.ts'
import { decode } from './decode.ts'
import type { Message } from './message.ts'

function message(text: PacketText): Message {
  const decoded = decode(packet(text))
  if (typeof decoded === 'string') throw new Error(decoded)
  return decoded
}

describe('case 30, 31: what is not a message', () => {
  test.each<[string, Buffer]>([
    ['too-short', Buffer.alloc(0)],
    ['too-short', packet({ type: 'discover' }).subarray(0, 239)],
    ['not-a-request', packet({ type: 'offer', op: 2 })],
    ['no-magic-cookie', packet({ type: 'discover' }).fill(0, 236, 240)],
    ['bad-hardware-address', packet({ type: 'discover', hardwareType: 6, hardwareLength: 17 })],
    ['bad-hardware-address', packet({ type: 'discover', hardwareLength: 5 })],
    ['no-identity', packet({ type: 'discover', mac: '00:00:00:00:00:00' })],
    ['bootp', packet({})],
    ['not-a-client-message', packet({ type: 'offer' })],
    ['not-a-client-message', packet({ type: 13 })],
    ['not-a-client-message', packet({ options: [[53, [1, 1]]] })],
  ])('%s', (reason, bytes) => {
    expect(decode(bytes)).toBe(reason)
  })

  test('an identifier as long as a packet is not taken', () => {
    const part: [number, number[]] = [61, Array.from({ length: 200 }, () => 1)]
    expect(decode(packet({ type: 'discover', options: [part, part] }))).toBe('no-identity')
  })
})

describe('options', () => {
  test('case 31: a missing END and an option that runs past the end do not spoil what came before', () => {
    expect(message({ type: 'discover', options: [[50, '10.0.0.1']], withoutEnd: true }).requestedAddress).toBe(
      0x0a000001,
    )
    const cut = packet({
      type: 'discover',
      options: [
        [50, '10.0.0.1'],
        [51, 3600],
      ],
      withoutEnd: true,
    })
    const decoded = decode(cut.subarray(0, cut.length - 1))
    expect(decoded).toMatchObject({ requestedAddress: 0x0a000001, leaseSeconds: undefined })
  })

  test('a value of the wrong length says nothing', () => {
    expect(
      message({
        type: 'request',
        options: [
          [50, [1]],
          [57, [1]],
        ],
      }),
    ).toMatchObject({ requestedAddress: undefined, maximumMessageSize: undefined })
  })

  test('case 21: the parts of a split option are joined: options, then file, then sname (RFC 3396 section 5)', () => {
    const parts = message({
      type: 'discover',
      options: [
        [61, [1]],
        [52, [3]],
        [61, [2]],
      ],
      bootFile: Uint8Array.of(61, 1, 3, 255),
      serverName: Uint8Array.of(61, 1, 4, 255),
    })
    expect([...(parts.clientIdentifier ?? [])]).toEqual([1, 2, 3, 4])
  })

  test('case 22: file and sname hold options only if option 52 says so, and cannot say so themselves', () => {
    const bootFile = Uint8Array.of(52, 1, 2, 50, 4, 10, 0, 0, 1, 255)
    const serverName = Uint8Array.of(51, 4, 0, 0, 14, 16, 255)
    expect(message({ type: 'discover', bootFile, serverName }).requestedAddress).toBeUndefined()
    const overloaded = message({ type: 'discover', options: [[52, [1]]], bootFile, serverName })
    expect(overloaded).toMatchObject({ requestedAddress: 0x0a000001, leaseSeconds: undefined })
  })

  test('padding is skipped', () => {
    const [head, tail] = [packet({ type: 'discover', withoutEnd: true }), [0, 0, 50, 4, 10, 0, 0, 1, 0, 255]]
    expect(decode(Buffer.concat([head, Uint8Array.from(tail)]))).toMatchObject({ requestedAddress: 0x0a000001 })
  })

  test('any option, however split, is read back whole', () => {
    const values = fc.array(fc.uint8Array({ maxLength: 60 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(values, (parts) => {
        const options = parts.map((part): [number, OptionText] => [55, part])
        expect(message({ type: 'discover', options }).parameterRequestList).toEqual(Buffer.concat(parts))
      }),
    )
  })
})
