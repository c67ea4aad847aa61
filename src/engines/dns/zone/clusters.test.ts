import { describe, expect, it } from 'vitest'
import { Bench, dnsServer } from '../testing.ts'

/** Two hosted clusters on one VLAN, and a third domain inside the first. */
const [one, two, inner] = ['c1.example.com', 'c2.example.net', 'dev.c1.example.com']
const bench = new Bench(
  dnsServer(
    {
      hostedClusterDomain: one,
      additionalDomains: [two, inner],
      staticEntries: [
        { hostname: `api.${one}`, ip: '192.168.100.10' },
        { hostname: `*.apps.${one}`, ip: '192.168.100.50' },
        { hostname: `api.${two}`, ip: '192.168.100.10' },
        { hostname: `*.apps.${two}`, ip: '192.168.100.51' },
        { hostname: `api.${inner}`, ip: '192.168.100.30' },
      ],
    },
    {
      resolved: {
        records: [
          { hostname: `vm1.${one}`, addresses: ['192.168.100.60'] },
          { hostname: `vm1.${two}`, addresses: ['192.168.100.61'] },
          { hostname: `api.${two}`, addresses: ['192.168.100.66'] },
        ],
      },
    },
  ),
)

describe('several hosted clusters in one server', () => {
  it.each([
    [`api.${one}`, 'A', `api.${one} A 192.168.100.10`, `api.${one} A 172.30.0.10`],
    [`api.${two}`, 'A', `api.${two} A 192.168.100.10`, `api.${two} A 172.30.0.10`],
    [`x.apps.${one}`, 'A', `x.apps.${one} A 192.168.100.50`, `x.apps.${one} A 192.168.100.50`],
    [`x.apps.${two}`, 'A', `x.apps.${two} A 192.168.100.51`, `x.apps.${two} A 192.168.100.51`],
    [`api.${inner}`, 'A', `api.${inner} A 192.168.100.30`, `api.${inner} A 192.168.100.30`],
    [`vm1.${two}`, 'A', `vm1.${two} A 192.168.100.61`, `vm1.${two} A 192.168.100.61`],
    ['61.100.168.192.in-addr.arpa', 'PTR', ...Array(2).fill(`61.100.168.192.in-addr.arpa PTR vm1.${two}`)],
    [`ns.${two}`, 'A', `ns.${two} A 192.168.100.3`, `ns.${two} A 10.128.0.5`],
  ])('%s %s: %s on the VLAN, %s on the pod network', (name, type, vlan, pod) => {
    expect(bench.ask(name, type, 'vlan').answers).toEqual([vlan])
    expect(bench.ask(name, type, 'pod').answers).toEqual([pod])
  })

  it.each([one, two, inner])('%s is a zone of its own, which names no other', (domain) => {
    const soa = `${domain} SOA ns.${domain}`
    expect(bench.ask(domain, 'SOA').answers).toEqual([soa])
    expect(bench.ask(domain, 'NS').answers).toEqual([`${domain} NS ns.${domain}`])
    expect(bench.ask(`nope.${domain}`)).toMatchObject({ rcode: 'NXDOMAIN', authority: [soa] })
    expect(bench.ask(`api.${domain}`, 'AAAA')).toMatchObject({ rcode: 'NOERROR', answers: [], authority: [soa] })
  })
})
