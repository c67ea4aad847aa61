import { describe, expect, it } from 'vitest'
import { reverseZones } from '../../../core/dns/reverse.ts'
import { parseCidr } from '../../../core/net/cidr.ts'
import { Bench, dnsServer, domain } from '../testing.ts'

function zones(text: string): string[] {
  const cidr = parseCidr(text)
  return cidr === undefined ? [] : reverseZones(cidr)
}

describe('the reverse zones of a network', () => {
  it.each([
    ['192.168.100.0/24', 1, '100.168.192.in-addr.arpa', '100.168.192.in-addr.arpa'],
    ['192.168.96.0/20', 16, '96.168.192.in-addr.arpa', '111.168.192.in-addr.arpa'],
    ['192.168.100.64/26', 64, '64.100.168.192.in-addr.arpa', '127.100.168.192.in-addr.arpa'],
    ['192.168.100.240/28', 16, '240.100.168.192.in-addr.arpa', '255.100.168.192.in-addr.arpa'],
    ['10.0.0.0/8', 1, '10.in-addr.arpa', '10.in-addr.arpa'],
    ['172.16.0.0/12', 16, '16.172.in-addr.arpa', '31.172.in-addr.arpa'],
    ['255.255.255.255/32', 1, '255.255.255.255.in-addr.arpa', '255.255.255.255.in-addr.arpa'],
    ['0.0.0.0/0', 1, 'in-addr.arpa', 'in-addr.arpa'],
  ])('%s: %d zones', (cidr, count, first, last) => {
    const found = zones(cidr)
    expect([found.length, found[0], found.at(-1)]).toEqual([count, first, last])
  })
})

describe('PTR', () => {
  it.each([
    ['192.168.96.0/20', '192.168.111.60', '192.168.111.61', 'NXDOMAIN', '192.168.112.1'],
    ['192.168.100.0/24', '192.168.100.60', '192.168.100.61', 'NXDOMAIN', '192.168.101.1'],
    // A zone per address: the name is there, it has no PTR.
    ['192.168.100.64/26', '192.168.100.66', '192.168.100.67', 'NOERROR', '192.168.100.128'],
    ['192.168.100.48/28', '192.168.100.60', '192.168.100.61', 'NOERROR', '192.168.100.64'],
  ])('in %s', (cidr, vm, unused, unusedCode, outside) => {
    const name = (address: string) => `${address.split('.').reverse().join('.')}.in-addr.arpa`
    const resolved = { records: [{ hostname: `vm1.${domain}`, addresses: [vm] }] }
    const bench = new Bench(dnsServer({ networkConfig: { secondaryNetworkCIDR: cidr } }, { resolved }))
    expect(bench.ask(name(vm), 'PTR').answers).toEqual([`${name(vm)} PTR vm1.${domain}`])
    expect(bench.ask(name(vm), 'PTR', 'pod').answers).toHaveLength(1)
    expect(bench.ask(name(unused), 'PTR')).toMatchObject({ rcode: unusedCode, answers: [] })
    expect(bench.ask(name(unused), 'PTR').authority[0]).toMatch(`SOA ns.${domain}`)
    expect(bench.ask(name(outside), 'PTR').rcode).toBe('later')
  })

  it('has one name per address, fixed names before machines, never a wildcard', () => {
    const staticEntries = [
      { hostname: `*.apps.${domain}`, ip: '192.168.100.10' },
      { hostname: `api.${domain}`, ip: '192.168.100.10' },
      { hostname: `oauth.${domain}`, ip: '192.168.100.10' },
    ]
    const resolved = { records: [{ hostname: `vm1.${domain}`, addresses: ['192.168.100.10'] }] }
    const bench = new Bench(dnsServer({ staticEntries }, { resolved }))
    const name = '10.100.168.192.in-addr.arpa'
    expect(bench.ask(name, 'PTR').answers).toEqual([`${name} PTR api.${domain}`])
    expect(bench.ask('3.100.168.192.in-addr.arpa', 'PTR').answers).toEqual([
      `3.100.168.192.in-addr.arpa PTR ns.${domain}`,
    ])
  })
})
