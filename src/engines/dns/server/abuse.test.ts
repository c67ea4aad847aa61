import { decode } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { serverFailure as failure } from '../codec/answer.ts'
import { Bench, dnsServer, domain, query, senderAt, withOpt } from '../testing.ts'
import { ReplyRateLimit } from './rate-limit.ts'
import { Senders } from './sender.ts'
import { isForeign } from './view-chooser.ts'

const vlan = { network: 0xc0a86400, prefixLength: 24 }
const foreign = senderAt('vlan', 'udp', true)
const big = Array.from({ length: 60 }, (_, index) => ({ hostname: `big.${domain}`, ip: `10.1.0.${index}` }))

function withCookie(cookie: Uint8Array): Parameters<typeof query>[2] {
  const options = [{ code: 10, data: Buffer.from(cookie) }]
  return { additionals: [{ type: 'OPT', name: '.', udpPayloadSize: 4096, flags: 0, options } as never] }
}

function cookieIn(reply: Uint8Array | string): Buffer {
  if (typeof reply === 'string') throw new Error(`no reply: ${reply}`)
  const option = JSON.parse(JSON.stringify(decode(Buffer.from(reply)).additionals?.[0]))?.options?.[0]
  return Buffer.from(option?.data?.data ?? [])
}

function isTruncated(reply: Uint8Array | string): boolean {
  return typeof reply !== 'string' && ((reply[2] ?? 0) & 2) !== 0
}

describe('a foreign source is', () => {
  it.each([
    ['vlan', '192.168.100.7', false],
    ['vlan', '192.168.101.7', true],
    ['vlan', '127.0.0.1', false],
    ['vlan', '2001:db8::1', true],
    ['vlan', 'fe80::1%eth0', false],
    ['vlan', 'fd00::1', false],
    ['pod', '203.0.113.5', false],
    ['both', '10.128.0.9', false],
    ['both', '203.0.113.5', true],
  ] as const)('at an address of %s, %s: %s', (arrival, address, expected) => {
    expect(new Senders('udp', { arrival, vlan }).at(address).mayBeForged).toBe(expected)
    expect(new Senders('tcp', { arrival, vlan }).at(address).mayBeForged).toBe(false)
  })

  it('nobody, if it is not known who is at home', () => {
    expect(isForeign({ arrival: 'vlan' }, Uint8Array.of(203, 0, 113, 5))).toBe(false)
  })
})

describe('replies to a foreign source', () => {
  it('are limited: some of the rest are sent without content, most not at all', () => {
    const clock = { nowMs: 1_000_000 }
    const bench = new Bench(dnsServer(), { now: () => clock.nowMs })
    const ask = () => bench.sendFrom(foreign, query(`api.${domain}`, 'A'))
    const first = Array.from({ length: 200 }, ask)
    expect(first.every((reply) => typeof reply !== 'string' && !isTruncated(reply))).toBe(true)
    const rest = Array.from({ length: 1000 }, ask)
    expect(rest.filter(isTruncated)).toHaveLength(500)
    expect(rest.filter((reply) => reply === 'none')).toHaveLength(500)
    expect(bench.counters.dropSamples()).toContainEqual({ labels: { reason: 'rate-limited' }, value: 500 })
    clock.nowMs += 100
    expect(Array.from({ length: 30 }, ask).filter((reply) => reply !== 'none' && !isTruncated(reply))).toHaveLength(20)
  })

  it('of one network do not count for another', () => {
    const limit = new ReplyRateLimit(1)
    for (let index = 0; index < 300; index++) limit.take(Uint8Array.of(203, 0, 113, index & 255), 0)
    expect(limit.take(Uint8Array.of(203, 0, 113, 9), 0)).not.toBe('reply')
    expect(limit.take(Uint8Array.of(198, 51, 100, 9), 0)).toBe('reply')
  })

  it('are no longer than 512 bytes, so that asking in the name of another gains little', () => {
    const bench = new Bench(dnsServer({ staticEntries: big }))
    const asked = query(`big.${domain}`, 'A', withOpt())
    expect(bench.sendFrom(senderAt('vlan'), asked).length).toBeGreaterThan(900)
    const reply = bench.sendFrom(foreign, asked)
    expect(isTruncated(reply)).toBe(true)
    expect(reply.length).toBeLessThanOrEqual(asked.length + 24)
  })

  it('that has proved its address are like all others', () => {
    const bench = new Bench(dnsServer({ staticEntries: big }))
    const cookie = cookieIn(bench.sendFrom(foreign, query(`big.${domain}`, 'A', withCookie(new Uint8Array(8)))))
    expect(cookie).toHaveLength(24)
    const asked = query(`big.${domain}`, 'A', withCookie(cookie))
    for (let index = 0; index < 500; index++) {
      const reply = bench.sendFrom(foreign, asked)
      expect(reply.length).toBeGreaterThan(900)
      expect(isTruncated(reply)).toBe(false)
    }
    const stolen = { ...foreign, addressBytes: Uint8Array.of(192, 0, 2, 1) }
    expect(isTruncated(bench.sendFrom(stolen, asked))).toBe(true)
  })
})

describe('machines and pods', () => {
  it('are never limited', () => {
    const bench = new Bench(dnsServer())
    for (const view of ['vlan', 'pod'] as const) {
      for (let index = 0; index < 2000; index++) {
        expect(bench.send(query(`api.${domain}`, 'A'), view)).not.toBe('none')
      }
    }
  })
})

describe('the query log', () => {
  it('has a line per query when it is on, and says what it left out', () => {
    const clock = { nowMs: 10_000 }
    const bench = new Bench(dnsServer(), { now: () => clock.nowMs })
    bench.send(query(`api.${domain}`, 'A'))
    expect(bench.log).toEqual([])
    bench.queryLog.isOn = true
    bench.send(query(`Api.${domain}`, 'AAAA'), 'pod', 'tcp')
    bench.send(query('www.example.net', 'A'))
    bench.responder.later(senderAt('vlan'), () => {})
    clock.nowMs += 20
    bench.asked[0]?.done(bench.cache.keepFailure(bench.asked[0].question, failure, -1, 0))
    expect(bench.log.map((line) => JSON.parse(line))).toMatchObject([
      { client: '10.128.0.9', view: 'pod', transport: 'tcp', name: `Api.${domain}.`, type: 'AAAA', rcode: 'NOERROR' },
      { client: '192.168.100.60', view: 'vlan', name: 'www.example.net.', type: 'A', rcode: 'SERVFAIL', forwardMs: 20 },
    ])
    for (let index = 0; index < 1000; index++) bench.send(query(`api.${domain}`, 'A'))
    expect(bench.log).toHaveLength(200)
    clock.nowMs += 1000
    bench.send(query(`api.${domain}`, 'A'))
    expect(bench.log.slice(200).map((line) => JSON.parse(line))).toMatchObject([{ count: 802 }, { msg: 'query' }])
  })
})
