import { decode } from 'dns-packet'
import { describe, expect, it, vi } from 'vitest'
import { encodeName } from './codec/name.ts'
import { Query } from './codec/query.ts'
import { readResponse } from './codec/response.ts'
import { answerTo } from './forward/scripted-upstream.ts'
import { Bench, dnsServer, domain, query, withOpt } from './testing.ts'

/** A small generator with a seed, so that what fails once fails again. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const valid = [
  query(`api.${domain}`, 'A', withOpt()),
  query(`x.y.apps.${domain}`, 'AAAA', withOpt({ flags: 0x8000 })),
  query('60.100.168.192.in-addr.arpa', 'PTR'),
  query('www.example.net', 'HTTPS', withOpt({ udpPayloadSize: 512 })),
  Uint8Array.of(
    1,
    2,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    41,
    4,
    208,
    0,
    0,
    0,
    0,
    0,
    12,
    0,
    10,
    0,
    8,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
  ),
]

/** A valid packet with a few bytes changed, cut or added; sometimes nothing but noise. */
function mutate(packet: Uint8Array, random: (below: number) => number): Uint8Array {
  if (random(10) === 0) return Uint8Array.from({ length: random(200) }, () => random(256))
  const bytes = [...packet]
  for (let change = random(6); change >= 0; change--) {
    const at = random(bytes.length + 1)
    const kind = random(5)
    if (kind === 0) bytes.splice(at, random(8))
    else if (kind === 1) bytes.splice(at, 0, ...Array.from({ length: random(8) }, () => random(256)))
    else if (kind === 2) bytes[at] = [0, 0xff, 0xc0, 0x40, 0x3f][random(5)] ?? 0
    else bytes[at] = random(256)
  }
  return Uint8Array.from(bytes, (byte) => byte ?? 0)
}

/** Counts how often the bytes are looked at: a measure of work that no busy machine can change. */
function counted(bytes: Uint8Array): { readonly packet: Uint8Array; readonly reads: () => number } {
  let reads = 0
  const packet = new Proxy(bytes, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads++
      return Reflect.get(target, key)
    },
  })
  return { packet, reads: () => reads }
}

/** A tenth in every run, all of them with OOOI_SOAK=1. */
const packetCount = process.env.OOOI_SOAK === '1' ? 1_000_000 : 100_000
vi.setConfig({ testTimeout: 600_000 })

/** No packet may be looked at more often than this, byte by byte. */
const mostReads = (length: number) => 4 * length + 64

describe(`${packetCount} broken packets`, () => {
  it('get an answer that can be read, or none; never an exception', () => {
    const random = randomFrom(1)
    const bench = new Bench(dnsServer())
    const seen = { none: 0, later: 0, reply: 0 }
    for (let index = 0; index < packetCount; index++) {
      const packet = mutate(valid[random(valid.length)] ?? new Uint8Array(0), random)
      const transport = random(2) === 0 ? 'udp' : 'tcp'
      const reply = bench.send(packet, random(2) === 0 ? 'vlan' : 'pod', transport)
      if (typeof reply === 'string') seen[reply]++
      else {
        seen.reply++
        if (transport === 'udp') expect(reply.length).toBeLessThanOrEqual(1232)
        if (index % 20 === 0) decode(Buffer.from(reply))
      }
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(1000)
  })

  it('as responses are read or refused; never an exception', () => {
    const random = randomFrom(2)
    const asked = { name: encodeName('www.example.net'), hash: 0, type: 1, dnssecOk: false, checkingDisabled: false }
    const good = answerTo(decode(Buffer.from(query('www.example.net', 'A', withOpt()))), {
      addresses: ['192.0.2.1', '192.0.2.2'],
    })
    let read = 0
    for (let index = 0; index < packetCount; index++) if (readResponse(mutate(good, random), asked, 300)) read++
    expect(read).toBeGreaterThan(1000)
  })
})

describe('the work for one packet', () => {
  const worst = [
    ...valid,
    Uint8Array.from({ length: 65_000 }, (_, index) => (index === 2 ? 1 : index === 3 ? 0 : 0xff)),
    Uint8Array.of(0, 0, 1, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 1, 0, 1, ...new Uint8Array(60_000)),
    Uint8Array.of(0, 0, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0),
    Uint8Array.of(
      0,
      0,
      1,
      0,
      0,
      1,
      0,
      0,
      0,
      0,
      0,
      1,
      0,
      0,
      1,
      0,
      1,
      0,
      0,
      41,
      4,
      208,
      0,
      0,
      0,
      0,
      0xff,
      0x00,
      ...new Uint8Array(0xff00),
    ),
  ]

  it('grows no faster than its length', () => {
    for (const bytes of worst) {
      const { packet, reads } = counted(bytes)
      new Query(1).parse(packet, 'tcp')
      expect(reads()).toBeLessThanOrEqual(mostReads(bytes.length))
    }
  })

  it('stays as small when it is answered, whatever it asks', () => {
    const random = randomFrom(3)
    const bench = new Bench(dnsServer())
    const deepest = query(`${'a.'.repeat(115)}apps.${domain}`, 'A', withOpt())
    const mutated = Array.from({ length: 2000 }, () => mutate(valid[random(valid.length)] ?? deepest, random))
    for (const bytes of [...worst, deepest, ...mutated]) {
      const { packet, reads } = counted(bytes)
      bench.send(packet, 'vlan', 'tcp')
      expect(reads()).toBeLessThanOrEqual(mostReads(bytes.length))
    }
  })

  it('of an upstream grows no faster than its length either', () => {
    const asked = { name: Uint8Array.of(0), hash: 0, type: 1, dnssecOk: false, checkingDisabled: false }
    const head = [0, 0, 0x81, 0x80, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 1, 0, 1]
    const emptyRecords = Uint8Array.of(...head, ...new Uint8Array(60_000))
    const pointers = Uint8Array.of(
      ...head,
      ...Array.from({ length: 60_000 }, (_, index) => (index % 2 === 0 ? 0xc0 : 12)),
    )
    for (const bytes of [emptyRecords, pointers]) {
      const { packet, reads } = counted(bytes)
      readResponse(packet, asked, 300)
      expect(reads()).toBeLessThanOrEqual(mostReads(bytes.length))
    }
  })
})
