import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Bench, dnsServer, domain, query } from '../testing.ts'

type Records = { hostname: string; addresses: string[]; internalAddresses?: string[] }[]

const withMachines = (records: Records, generation = 1) => dnsServer({}, { resolved: { records } }, generation)

describe('names of machines', () => {
  it('come, change and go', () => {
    const bench = new Bench(withMachines([]))
    expect(bench.ask(`vm1.${domain}`).rcode).toBe('NXDOMAIN')
    bench.apply(withMachines([{ hostname: `VM1.${domain}`, addresses: ['192.168.100.60'] }]))
    expect(bench.ask(`vm1.${domain}`).answers).toEqual([`vm1.${domain} A 192.168.100.60`])
    expect(bench.ask(`vm1.${domain}`, 'AAAA')).toMatchObject({
      rcode: 'NOERROR',
      answers: [],
      authority: [`${domain} SOA ns.${domain}`],
    })
    bench.apply(withMachines([{ hostname: `vm1.${domain}`, addresses: ['192.168.100.61', 'fd00::61'] }]))
    expect(bench.ask(`vm1.${domain}`).answers).toEqual([`vm1.${domain} A 192.168.100.61`])
    expect(bench.ask(`vm1.${domain}`, 'AAAA').answers).toEqual([`vm1.${domain} AAAA fd00::61`])
    expect(bench.ask('60.100.168.192.in-addr.arpa', 'PTR').rcode).toBe('NXDOMAIN')
    bench.apply(withMachines([]))
    expect(bench.ask(`vm1.${domain}`).rcode).toBe('NXDOMAIN')
    expect(bench.ask('61.100.168.192.in-addr.arpa', 'PTR').rcode).toBe('NXDOMAIN')
  })

  it('never win over a fixed name or a wildcard, in either view', () => {
    const stolen = ['api', 'ns', 'console.apps', 'a.b.apps']
    const records = stolen.map((name) => ({ hostname: `${name}.${domain}`, addresses: ['192.168.100.66'] }))
    const bench = new Bench(withMachines(records), { podAddresses: [] })
    for (const name of stolen) {
      for (const view of ['vlan', 'pod'] as const) {
        expect(bench.ask(`${name}.${domain}`, 'A', view).answers.join()).not.toContain('192.168.100.66')
      }
    }
  })

  it('with dots in them make empty non-terminals, as long as they are there', () => {
    const bench = new Bench(withMachines([{ hostname: `a.b.${domain}`, addresses: ['192.168.100.60'] }]))
    expect(bench.ask(`b.${domain}`)).toMatchObject({ rcode: 'NOERROR', answers: [] })
    bench.apply(withMachines([]))
    expect(bench.ask(`b.${domain}`).rcode).toBe('NXDOMAIN')
  })

  it('an apps wildcard that was found is served, unless the manifest has it', () => {
    const found = [{ hostname: `*.apps2.${domain}`, addresses: ['192.168.100.51'], internalAddresses: ['172.30.0.9'] }]
    const bench = new Bench(withMachines([...found, { hostname: `*.apps.${domain}`, addresses: ['6.6.6.6'] }]))
    expect(bench.ask(`x.apps2.${domain}`).answers[0]).toContain('192.168.100.51')
    expect(bench.ask(`x.apps2.${domain}`, 'A', 'pod').answers[0]).toContain('172.30.0.9')
    expect(bench.ask(`x.apps.${domain}`).answers[0]).toContain('192.168.100.50')
  })

  it('the serial rises with each change of them', () => {
    const bench = new Bench(withMachines([]))
    const serial = () => {
      const reply = Buffer.from(bench.send(query(domain, 'SOA')))
      return reply.readUInt32BE(reply.length - 20)
    }
    const before = serial()
    bench.apply(withMachines([]))
    expect(serial()).toBe(before)
    bench.apply(withMachines([{ hostname: `vm1.${domain}`, addresses: ['192.168.100.60'] }]))
    expect(serial()).toBe(before + 1)
  })

  it('after any series of changes are what they would be in a fresh server', () => {
    const names = ['vm1', 'vm2', 'a.vm1', 'b.a.vm1', 'apps', 'api', 'x.apps'].map((name) => `${name}.${domain}`)
    const pointers = ['60', '61', '62'].map((last) => `${last}.100.168.192.in-addr.arpa`)
    const addresses = fc.subarray(['192.168.100.60', '192.168.100.61', '192.168.100.62', 'fd00::60'])
    const machine = fc.record({ hostname: fc.constantFrom(...names), addresses })
    fc.assert(
      fc.property(fc.array(fc.array(machine, { maxLength: 6 }), { minLength: 1, maxLength: 6 }), (series) => {
        const changed = new Bench(withMachines([]))
        for (const records of series) changed.apply(withMachines(records))
        const fresh = new Bench(withMachines(series.at(-1) ?? []))
        for (const name of [...names, ...pointers, domain, `nope.${domain}`]) {
          for (const type of ['A', 'AAAA', 'PTR', 'ANY']) expect(changed.ask(name, type)).toEqual(fresh.ask(name, type))
        }
      }),
      { numRuns: 60 },
    )
  })
})
