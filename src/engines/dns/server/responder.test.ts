import { decode } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { bareAnswer } from '../codec/answer.ts'
import { Bench, dnsServer, domain, outcome, query, rcodeOf, senderAt, withOpt } from '../testing.ts'

const soa = `${domain} SOA ns.${domain}`

function a(ttl: number): Uint8Array {
  return Uint8Array.of(0xc0, 12, 0, 1, 0, 1, 0, 0, ttl >> 8, ttl & 255, 0, 4, 192, 0, 2, 1)
}

function bytes(reply: Uint8Array | string): Uint8Array {
  if (typeof reply === 'string') throw new Error(`no reply: ${reply}`)
  return reply
}

describe('a reply', () => {
  const bench = new Bench(dnsServer())

  it('carries the id and the question exactly as they were asked', () => {
    const packet = query(`aPi.C1.exAmple.cOm`, 'A')
    const reply = bytes(bench.send(packet))
    expect([...reply.subarray(0, 2)]).toEqual([...packet.subarray(0, 2)])
    expect([...reply.subarray(12, packet.length)]).toEqual([...packet.subarray(12)])
    expect(outcome(reply).answers).toEqual(['aPi.C1.exAmple.cOm A 192.168.100.10'])
  })

  it('has an OPT record exactly if the query has one, with DO given back', () => {
    const plain = decode(Buffer.from(bytes(bench.send(query(`api.${domain}`, 'A')))))
    const edns = decode(Buffer.from(bytes(bench.send(query(`api.${domain}`, 'A', withOpt({ flags: 0x8000 }))))))
    expect(plain.additionals).toEqual([])
    expect(edns.additionals).toMatchObject([{ type: 'OPT', udpPayloadSize: 1232, flag_do: true }])
  })

  it('copies RD and CD, never Z, and says that recursion is to be had', () => {
    const flagsOf = (flags: number) => {
      const reply = bytes(bench.send(query(`api.${domain}`, 'A', { flags })))
      return (((reply[2] ?? 0) << 8) | (reply[3] ?? 0)).toString(16)
    }
    expect(flagsOf(0x0150)).toBe('8590')
    expect(flagsOf(0x0000)).toBe('8480')
  })

  it.each([
    ['without EDNS', {}, 512],
    ['with EDNS 800', withOpt({ udpPayloadSize: 800 }), 800],
    ['with EDNS 100, which means 512', withOpt({ udpPayloadSize: 100 }), 512],
    ['with EDNS 4096, of which 1232 are used', withOpt({ udpPayloadSize: 4096 }), 1232],
  ])('over UDP is truncated to what the client takes: %s', (_text, extra, limit) => {
    const fits = (limit - 12 - `big.${domain}`.length - 2 - 4 - 11) / 16
    const big = (count: number) =>
      new Bench(
        dnsServer({
          staticEntries: Array.from({ length: count }, (_, index) => ({
            hostname: `big.${domain}`,
            ip: `10.0.${index >> 8}.${index & 255}`,
          })),
        }),
      )
    const whole = big(Math.floor(fits)).send(query(`big.${domain}`, 'A', extra))
    expect(bytes(whole).length).toBeLessThanOrEqual(limit)
    expect(decode(Buffer.from(bytes(whole)))).toMatchObject({ flag_tc: false })
    const cut = decode(Buffer.from(bytes(big(Math.ceil(fits) + 1).send(query(`big.${domain}`, 'A', extra)))))
    expect(cut).toMatchObject({ flag_tc: true, flag_aa: true, answers: [], questions: [{ name: `big.${domain}` }] })
    const overTcp = big(Math.ceil(fits) + 1).send(query(`big.${domain}`, 'A', extra), 'vlan', 'tcp')
    expect(decode(Buffer.from(bytes(overTcp))).answers).toHaveLength(Math.ceil(fits) + 1)
  })
})

describe('a cached answer', () => {
  const bench = new Bench(dnsServer(), { now: () => 12_000 })

  it.each([
    ['AD', 0x0120, {}, true],
    ['DO', 0x0100, withOpt({ flags: 0x8000 }), true],
    ['neither', 0x0100, {}, false],
  ])('is called authentic only to a client that asked: with %s', (_text, flags, extra, expected) => {
    bench.send(query('www.example.net', 'A', { flags, ...extra }))
    bench.responder.later(senderAt('vlan'), () => {})
    const asked = bench.asked.at(-1)
    const answer = { ...bareAnswer(0, 0x0020), answerCount: 1, body: a(300), ttlOffsets: [6] }
    if (asked) bench.cache.keep(asked.question, answer, 300, 2000)
    const reply = decode(Buffer.from(bytes(bench.send(query('WWW.example.NET', 'A', { flags, ...extra })))))
    expect(reply).toMatchObject({ flag_ad: expected, flag_aa: false, answers: [{ ttl: 290, data: '192.0.2.1' }] })
  })
})

describe('a popular cached answer', () => {
  it('is asked for again, once, in the last tenth of its time, while everybody still gets it', () => {
    const clock = { nowMs: 0 }
    const bench = new Bench(dnsServer(), { now: () => clock.nowMs })
    const ask = () => bench.send(query('www.example.net', 'A'))
    ask()
    bench.responder.later(senderAt('vlan'), () => {})
    const [first] = bench.asked
    if (first)
      bench.cache.keep(first.question, { ...bareAnswer(0), answerCount: 1, body: a(300), ttlOffsets: [6] }, 300, 0)
    for (const second of [1, 2, 3, 260, 280, 290]) {
      clock.nowMs = second * 1000
      expect(ask()).not.toBe('later')
    }
    expect(bench.asked).toHaveLength(2)
    expect(bench.asked[1]?.question).toEqual(first?.question)
  })
})

describe('kinds of questions', () => {
  const bench = new Bench(dnsServer(), { withheld: ['cluster.local'] })

  it.each([
    [`api.${domain}`, 'A', 'NOERROR', [`api.${domain} A 192.168.100.10`], []],
    [`api.${domain}`, 'AAAA', 'NOERROR', [], [soa]],
    [`api.${domain}`, 'HTTPS', 'NOERROR', [], [soa]],
    [`nope.${domain}`, 'A', 'NXDOMAIN', [], [soa]],
    [domain, 'NS', 'NOERROR', [`${domain} NS ns.${domain}`], []],
    [domain, 'SOA', 'NOERROR', [soa], []],
    [`ns.${domain}`, 'A', 'NOERROR', [`ns.${domain} A 192.168.100.3`], []],
    [`api.${domain}`, 'ANY', 'NOERROR', [`api.${domain} HINFO {"cpu":"RFC8482","os":""}`], []],
    ['www.example.net', 'ANY', 'NOERROR', ['www.example.net HINFO {"cpu":"RFC8482","os":""}'], []],
    [`nope.${domain}`, 'ANY', 'NXDOMAIN', [], [soa]],
    [`api.${domain}`, 'AXFR', 'REFUSED', [], []],
    [`api.${domain}`, 'IXFR', 'REFUSED', [], []],
    ['kubernetes.default.svc.cluster.local', 'A', 'REFUSED', [], []],
    ['www.example.net', 'A', 'later', [], []],
    ['example.com', 'A', 'later', [], []],
    ['.', 'NS', 'later', [], []],
  ])('%s %s: %s', (name, type, rcode, answers, authority) => {
    expect(bench.ask(name, type)).toMatchObject({ rcode, answers, authority })
  })

  it('withholds the cluster that the server runs in from the VLAN only', () => {
    expect(bench.ask('x.svc.cluster.local', 'A', 'pod').rcode).toBe('later')
  })

  it('refuses other names when forwarding is off, and then offers no recursion', () => {
    const off = new Bench(dnsServer({ forwarding: { enabled: false } }))
    const reply = decode(Buffer.from(bytes(off.send(query('www.example.net', 'A', withOpt())))))
    expect(rcodeOf(reply)).toBe('REFUSED')
    expect(reply.flag_ra).toBe(false)
  })

  it('tells nobody what is in the cache who did not ask for recursion', () => {
    expect(outcome(bytes(bench.send(query('www.example.net', 'A', { flags: 0 })))).rcode).toBe('REFUSED')
  })
})
