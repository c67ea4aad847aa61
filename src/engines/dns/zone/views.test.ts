import { decode } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { Bench, dnsServer, domain, query } from '../testing.ts'

const addresses = (bench: Bench, name: string, type = 'A') =>
  (['vlan', 'pod'] as const).map((view) =>
    bench
      .ask(name, type, view)
      .answers.map((answer) => answer.split(' ')[2])
      .join(),
  )

function ttls(reply: Uint8Array | string): unknown[] {
  const answers = typeof reply === 'string' ? [] : (decode(Buffer.from(reply)).answers ?? [])
  return answers.map((answer) => ('ttl' in answer ? answer.ttl : undefined))
}

describe('what the two views say', () => {
  it.each([
    ['the proxy', { ip: '192.168.100.10' }, ['192.168.100.10', '172.30.0.10']],
    ['a host of its own', { ip: '192.168.100.77' }, ['192.168.100.77', '192.168.100.77']],
    ['a host with an address inside', { ip: '192.168.100.77', internalIP: '10.9.9.9' }, ['192.168.100.77', '10.9.9.9']],
    [
      'the proxy with an address inside',
      { ip: '192.168.100.10', internalIP: '10.9.9.9' },
      ['192.168.100.10', '10.9.9.9'],
    ],
  ])('%s', (_text, entry, expected) => {
    for (const hostname of [`x.${domain}`, 'x.elsewhere.test', `*.w.${domain}`]) {
      const bench = new Bench(dnsServer({ staticEntries: [{ hostname, ...entry }] }))
      expect(addresses(bench, hostname.replace('*', 'any'))).toEqual(expected)
    }
  })

  it('IPv6 like IPv4, several entries of one name as one set, the shortest TTL for all', () => {
    const bench = new Bench(
      dnsServer({
        staticEntries: [
          { hostname: `x.${domain}`, ip: 'fd00::1', ttl: 60 },
          { hostname: `X.${domain}.`, ip: '192.168.100.7', ttl: 5 },
          { hostname: `x.${domain}`, ip: '192.168.100.8' },
        ],
      }),
    )
    expect(addresses(bench, `x.${domain}`, 'AAAA')).toEqual(['fd00::1', 'fd00::1'])
    const both = '192.168.100.7,192.168.100.8'
    expect(addresses(bench, `x.${domain}`)).toEqual([both, both])
    expect(ttls(bench.send(query(`x.${domain}`, 'AAAA')))).toEqual([5])
  })

  it.each([
    ['given', { internalProxyIP: '172.30.0.10' }, undefined, '172.30.0.10'],
    ['given, found as well', { internalProxyIP: '172.30.0.10' }, ['172.30.0.11'], '172.30.0.10'],
    ['found', { internalProxyIP: undefined }, ['172.30.0.11'], '172.30.0.11'],
    ['a name that was found', { internalProxyIP: 'proxy.ns.svc' }, ['172.30.0.12'], '172.30.0.12'],
    ['nowhere said: this host', { internalProxyIP: undefined }, undefined, '10.128.0.5'],
    ['a name of our own', { internalProxyIP: `inside.${domain}` }, undefined, '10.7.7.7'],
  ])('the internal proxy, %s', (_text, networkConfig, found, expected) => {
    const staticEntries = [
      { hostname: `api.${domain}`, ip: '192.168.100.10' },
      { hostname: `inside.${domain}`, ip: '10.7.7.7' },
    ]
    const status = found === undefined ? undefined : { resolved: { internalProxyIPs: found } }
    const bench = new Bench(dnsServer({ networkConfig, staticEntries }, status))
    expect(addresses(bench, `api.${domain}`)).toEqual(['192.168.100.10', expected])
  })

  it('a failure, not a wrong answer, while the internal proxy is a name without address', () => {
    const bench = new Bench(dnsServer({ networkConfig: { internalProxyIP: 'proxy.ns.svc' } }))
    expect(bench.ask(`api.${domain}`, 'A', 'vlan').rcode).toBe('NOERROR')
    expect(bench.ask(`api.${domain}`, 'A', 'pod').rcode).toBe('SERVFAIL')
    expect(bench.ask(`nope.${domain}`, 'A', 'pod').rcode).toBe('NXDOMAIN')
  })

  it('every attached domain is a zone', () => {
    const bench = new Bench(
      dnsServer({
        additionalDomains: ['c2.example.com', `inner.${domain}`],
        staticEntries: [{ hostname: 'api.c2.example.com', ip: '192.168.100.10' }],
      }),
    )
    expect(bench.ask('api.c2.example.com').rcode).toBe('NOERROR')
    expect(bench.ask('nope.c2.example.com')).toMatchObject({
      rcode: 'NXDOMAIN',
      authority: ['c2.example.com SOA ns.c2.example.com'],
    })
    expect(bench.ask(`x.inner.${domain}`).authority).toEqual([`inner.${domain} SOA ns.inner.${domain}`])
    expect(bench.ask('c3.example.com').rcode).toBe('later')
  })
})
