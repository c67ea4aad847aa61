import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hello, helloMessage, join, padding, records } from '../testing/hello-builder.ts'
import { large, name, named, sound, tooLarge, vectors } from '../testing/hello-vectors.ts'
import { ClientHelloReader, type HelloVerdict, maxMessageBytes } from './client-hello.ts'

function readWhole(wire: Uint8Array): HelloVerdict | undefined {
  return new ClientHelloReader().push(wire)
}

function readInPieces(wire: Uint8Array, cuts: readonly number[]): HelloVerdict | undefined {
  const reader = new ClientHelloReader()
  const ends = [...cuts, wire.length].sort((a, b) => a - b)
  let verdict: HelloVerdict | undefined
  let start = 0
  for (const end of ends) {
    verdict = reader.push(wire.subarray(start, end))
    start = end
    if (verdict) break
  }
  return verdict
}

describe('ClientHelloReader', () => {
  it.each(vectors)('judges %s', (_, wire, want) => {
    expect(readWhole(wire)).toEqual(want)
  })

  it.each(vectors)('judges %s alike when every byte comes alone', (_, wire, want) => {
    expect(readInPieces(wire, [...wire.keys()])).toEqual(want)
  })

  it('judges alike however the bytes are cut', () => {
    const cuts = fc.array(fc.nat(2500), { maxLength: 12 })
    fc.assert(
      fc.property(fc.constantFrom(...vectors), cuts, ([, wire, want], at) => {
        const inside = at.filter((cut) => cut < wire.length)
        expect(readInPieces(wire, inside)).toEqual(want)
      }),
      { numRuns: 2000 },
    )
  })

  it('asks for more after every prefix of a sound hello', () => {
    for (const wire of [records(sound), records(sound, [1, 3, 7]), records(large, [500]), hello()]) {
      for (let length = 0; length < wire.length; length += 1) {
        expect(readWhole(wire.subarray(0, length))).toBeUndefined()
      }
    }
  })

  it('takes a hello of exactly the largest size, and no more', () => {
    const room = maxMessageBytes - helloMessage({ serverName: name, before: [padding(0)] }).length
    expect(readWhole(records(helloMessage({ serverName: name, before: [padding(room)] })))).toEqual(named)
    expect(readWhole(records(helloMessage({ serverName: name, before: [padding(room + 1)] })))).toEqual(tooLarge)
  })

  it('keeps every byte it was given, also those after the hello', () => {
    const reader = new ClientHelloReader()
    const wire = records(sound, [100])
    reader.push(wire.subarray(0, 50))
    reader.push(wire.subarray(50))
    const earlyData = Uint8Array.of(23, 3, 3, 0, 1, 42)
    expect(reader.push(earlyData)).toEqual(named)
    expect(Buffer.from(reader.received)).toEqual(Buffer.concat([wire, earlyData]))
  })

  it('does not mind what follows the hello in the same segment', () => {
    expect(readWhole(join(records(sound), new Uint8Array(60_000)))).toEqual(named)
  })
})
