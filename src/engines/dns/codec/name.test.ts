import { decode, encode } from 'dns-packet'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WireTable } from '../wire-table.ts'
import { decodeName, encodeName, skipName } from './name.ts'
import { WireName } from './wire-name.ts'

const label = fc.string({ unit: fc.constantFrom(...'abcdefghij0-_'), minLength: 1, maxLength: 20 })
const name = fc.array(label, { minLength: 1, maxLength: 8 }).map((labels) => labels.join('.'))

describe('names', () => {
  it('are written as an independent encoder writes them, and read back', () => {
    fc.assert(
      fc.property(name, (text) => {
        const packet = encode({ questions: [{ name: text, type: 'A' }] })
        expect([...encodeName(text)]).toEqual([...packet.subarray(12, packet.length - 4)])
        expect(decodeName(encodeName(text))).toBe(text)
        expect(decode(packet).questions?.[0]?.name).toBe(text)
      }),
    )
  })

  it('the root is one zero byte', () => {
    expect([...encodeName('')]).toEqual([0])
    expect(decodeName(Uint8Array.of(0))).toBe('')
  })

  it('unprintable bytes are shown, not lost', () => {
    expect(decodeName(Uint8Array.of(3, 0xff, 46, 97, 0))).toBe('\\255\\.a')
  })

  it('a name is skipped up to its pointer, which is not followed', () => {
    const bytes = Uint8Array.of(1, 97, 0xc0, 0x00, 9)
    expect(skipName(bytes, 0, 5)).toBe(4)
    expect(skipName(bytes, 0, 3)).toBe(-1)
    expect(skipName(Uint8Array.of(0x41, 0), 0, 2)).toBe(-1)
    expect([skipName(bytes, 2, 5, 2), skipName(bytes, 0, 5, 0)]).toEqual([4, -1])
  })
})

describe('a name to look up', () => {
  it('finds each of its ancestors by the hash that fell out on the way', () => {
    fc.assert(
      fc.property(name, (text) => {
        const wire = encodeName(text)
        const whole = new WireName(7)
        whole.read(wire, 0, wire.length)
        const labels = text.split('.')
        expect(whole.labelCount).toBe(labels.length)
        for (const [index] of labels.entries()) {
          const ancestor = encodeName(labels.slice(index).join('.'))
          const alone = new WireName(7)
          alone.read(ancestor, 0, ancestor.length)
          expect(whole.suffixHashes[index]).toBe(alone.hash)
          expect([...whole.bytes.subarray(whole.labelStarts[index], whole.length)]).toEqual([...ancestor])
        }
      }),
    )
  })

  it('is the same in any case', () => {
    const [lower, upper] = [new WireName(7), new WireName(7)]
    lower.read(encodeName('api.example.com'), 0, 17)
    upper.read(encodeName('ApI.eXample.COM'), 0, 17)
    expect(upper.hash).toBe(lower.hash)
    expect(upper.bytes).toEqual(lower.bytes)
  })

  it('reads any bytes without an exception, and never beyond them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const end = new WireName(7).read(bytes, 0, bytes.length)
        expect(end === -1 || (end > 0 && end <= bytes.length)).toBe(true)
      }),
    )
  })
})

describe('the table', () => {
  it('behaves as a map does', () => {
    const key = fc.array(fc.constantFrom(97, 98), { maxLength: 3 })
    fc.assert(
      fc.property(fc.array(fc.array(key, { minLength: 2, maxLength: 2 }), { maxLength: 60 }), (pairs) => {
        const [table, map] = [new WireTable<string>(), new Map<string, string>()]
        const hash = (bytes: readonly number[]) => bytes.length
        for (const [set = [], remove = []] of pairs) {
          table.set(Uint8Array.from(set), hash(set), 1, set.join())
          map.set(set.join(), set.join())
          table.delete(Uint8Array.from(remove), hash(remove), 1)
          map.delete(remove.join())
        }
        expect(table.size).toBe(map.size)
        for (const [each = []] of pairs) {
          expect(table.find(Uint8Array.from(each), 0, each.length, hash(each), 1)).toBe(map.get(each.join()))
        }
      }),
    )
  })

  it('grows, and refuses what would make a lookup long', () => {
    const [wide, narrow] = [new WireTable<number>(), new WireTable<number>(4)]
    for (let index = 0; index < 1000; index++) wide.set(Uint8Array.of(index >> 8, index & 255), index, 0, index)
    expect(wide.find(Uint8Array.of(3, 0), 0, 2, 768, 0)).toBe(768)
    const accepted = Array.from({ length: 9 }, (_, index) => narrow.set(Uint8Array.of(index), 5, 0, index))
    expect(accepted.filter(Boolean)).toHaveLength(4)
  })
})
