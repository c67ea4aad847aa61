import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePorts } from '../../../test/envtest/ports.ts'
import { findCoredns } from '../../../tools/coredns/coredns.ts'
import type { DNSServer } from '../../api/dnsserver.ts'
import { until } from '../../lab/testing.ts'
import { createLogger } from '../../runtime/observe/log.ts'
import { Metrics } from '../../runtime/observe/metrics.ts'
import { type ChosenDnsStatus, createChosenDnsEngine } from '../chosen-dns.ts'
import type { Engine } from '../engine.ts'
import { askAll, differences, namesOf, packetsFor } from './compare-for-tests.ts'
import { answerTo, ScriptedUpstream } from './forward/scripted-upstream.ts'
import { formatUpstream } from './forward/upstream-address.ts'
import { Bench, dnsServer, domain, outcome, query } from './testing.ts'

/** What a DNSServer promises, asked of both engines over the wire: ours, and CoreDNS with what we write for it. */

const address = { vlan: '127.53.7.3', pod: '127.53.8.5' } as const
type Side = keyof typeof address

const spec = (dnsPort: number) => ({
  networkConfig: {
    serverIP: address.vlan,
    proxyIP: '127.53.7.10',
    internalProxyIP: '172.30.0.10',
    secondaryNetworkCIDR: '127.53.7.0/24',
    dnsPort,
  },
  reloadInterval: '2s',
  additionalDomains: ['c2.example.net', `inner.${domain}`],
  staticEntries: [
    { hostname: `api.${domain}`, ip: '127.53.7.10' },
    { hostname: `api.${domain}`, ip: 'fd00::10' },
    { hostname: `deep.down.below.${domain}`, ip: '127.53.7.11', ttl: 5 },
    { hostname: `*.apps.${domain}`, ip: '127.53.7.50', internalIP: '172.30.0.99' },
    { hostname: `special.apps.${domain}`, ip: '127.53.7.51' },
    { hostname: 'api.c2.example.net', ip: '127.53.7.10' },
    { hostname: `api.inner.${domain}`, ip: '127.53.7.12' },
    { hostname: 'ignition.apps.mgmt.example.org', ip: '127.53.7.10' },
  ],
})

const status = {
  resolved: {
    records: [
      { hostname: `vm1.${domain}`, addresses: ['127.53.7.60'], internalAddresses: ['10.128.0.60'] },
      { hostname: `api.${domain}`, addresses: ['127.53.7.66'] },
      { hostname: `vm2.apps.${domain}`, addresses: ['127.53.7.61'] },
      { hostname: `vm3.special.apps.${domain}`, addresses: ['127.53.7.62'] },
    ],
  },
}

const labels = ['api', 'ns', 'apps', 'special', 'deep', 'down', 'below', 'vm1', 'vm2', 'vm3', 'inner', 'x']
const names = [
  ...namesOf([domain, 'c2.example.net'], labels, 2),
  ...namesOf([`down.below.${domain}`, `special.apps.${domain}`], labels, 1),
  ...Array.from({ length: 256 }, (_, index) => `${index}.7.53.127.in-addr.arpa`),
  'ignition.apps.mgmt.example.org',
]

describe.each(['oooi', 'coredns'] as const)('engine %s', (engineName) => {
  const directory = mkdtempSync(join(tmpdir(), `oooi-conformance-${engineName}-`))
  let port: number
  let upstream: ScriptedUpstream
  let engine: Engine<DNSServer, ChosenDnsStatus>
  let generation = 0

  const server = (change: object = {}, records: object = status): DNSServer =>
    dnsServer(
      { ...spec(port), engine: engineName, upstreamDNS: [formatUpstream(upstream.address)], ...change },
      records,
      ++generation,
    )
  const serve = async (wanted: DNSServer): Promise<void> => {
    expect(await engine.apply(wanted)).toMatchObject({ ok: true })
    await until(`generation ${generation} to be served`, () =>
      engine.status().servingGeneration === generation ? true : undefined,
    )
  }
  const ask = async (side: Side, name: string, type = 'A') => {
    const [reply] = await askAll({ address: address[side], port }, [query(name, type, { id: 0 })])
    return outcome(reply ?? new Uint8Array(12))
  }

  const askedFor = (name: string) => upstream.queries.filter(({ questions }) => questions?.[0]?.name === name).length

  beforeAll(async () => {
    ;[port = 0] = await freePorts(1)
    upstream = await ScriptedUpstream.start((asked) => answerTo(asked, { addresses: ['192.0.2.9'] }))
    engine = createChosenDnsEngine({
      log: createLogger('error', process.stderr),
      metrics: new Metrics(),
      now: Date.now,
      podAddresses: [address.pod],
      stateDir: directory,
      ...(engineName === 'oooi'
        ? {}
        : { coredns: { program: await findCoredns(process.env), outputFd: openSync('/dev/null', 'w') } }),
    })
    await serve(server())
  })
  afterAll(async () => {
    await engine?.stop(0)
    upstream?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  it.each(['vlan', 'pod'] as const)('answers every question on the %s side as the zone says', async (side) => {
    const packets = packetsFor(names)
    const bench = new Bench(server(), { podAddresses: [address.pod] })
    const replies = await askAll({ address: address[side], port }, packets)
    expect(differences(packets, (packet) => bench.send(packet, side), replies)).toEqual([])
  })

  it('forwards and keeps what is not ours; the cluster it runs in is nothing to the VLAN', async () => {
    for (const side of ['vlan', 'pod', 'vlan'] as const) {
      expect(await ask(side, 'www.example.net')).toMatchObject({ answers: ['www.example.net A 192.0.2.9'] })
    }
    expect(askedFor('www.example.net')).toBe(1)
    expect(await ask('vlan', 'x.svc.cluster.local')).toMatchObject({ rcode: 'REFUSED' })
    expect(await ask('pod', 'x.svc.cluster.local')).toMatchObject({ rcode: 'NOERROR' })
  })

  it('serves a change of names, keeps its cache, and says which generation it serves', async () => {
    const asked = askedFor('www.example.net')
    const records = [{ hostname: `vm9.${domain}`, addresses: ['127.53.7.69'] }]
    const others = spec(port).staticEntries.filter(({ hostname }) => !/^api.c1|apps.c1/.test(hostname))
    const staticEntries = [{ hostname: `api.${domain}`, ip: '127.53.7.77' }, ...others]
    await serve(server({ staticEntries }, { resolved: { records } }))
    expect(await ask('vlan', `api.${domain}`)).toMatchObject({ answers: [`api.${domain} A 127.53.7.77`] })
    expect(await ask('pod', `vm9.${domain}`)).toMatchObject({ answers: [`vm9.${domain} A 127.53.7.69`] })
    expect(await ask('vlan', `console.apps.${domain}`)).toMatchObject({ rcode: 'NXDOMAIN' })
    await ask('vlan', 'www.example.net')
    expect(askedFor('www.example.net')).toBe(asked)
  })

  it('follows the name of the proxy on the pod network', async () => {
    const networkConfig = { ...spec(port).networkConfig, internalProxyIP: 'proxy.example.org' }
    await serve(server({ networkConfig }))
    const answer = await until('an address', async () => {
      const { answers } = await ask('pod', `api.${domain}`)
      return answers.find((record) => record.includes(' A '))
    })
    // Ours says the address at once, CoreDNS by way of a CNAME.
    expect(answer).toMatch(/^(api\.c1\.example\.com|proxy\.example\.org) A 192\.0\.2\.9$/)
    expect(await ask('vlan', `api.${domain}`)).toMatchObject({ answers: [`api.${domain} A 127.53.7.10`] })
  })

  it('serves a change of everything else too', async () => {
    await serve(server({ forwarding: { enabled: false }, additionalDomains: ['c3.example.net'] }))
    expect(await ask('vlan', 'www.example.org')).toMatchObject({ rcode: 'REFUSED' })
    expect(await ask('pod', 'x.c3.example.net')).toMatchObject({ rcode: 'NXDOMAIN', authoritative: true })
    expect(await ask('pod', 'api.c2.example.net')).toMatchObject({ answers: ['api.c2.example.net A 172.30.0.10'] })
  })

  it('refuses what it cannot serve, says why, and goes on with what it had', async () => {
    const { networkConfig } = spec(port)
    const { serverIP: _, ...nowhere } = networkConfig
    expect(await engine.apply(server({ networkConfig: { ...nowhere, serverIP: undefined } }))).toMatchObject({
      problems: [{ reason: 'InvalidField', message: expect.stringContaining('has no address on the VLAN') }],
    })
    const other = engineName === 'oooi' ? 'coredns' : 'oooi'
    expect(await engine.apply(server({ engine: other }))).toMatchObject({ problems: [{ field: 'spec.engine' }] })
    expect(await ask('vlan', `api.${domain}`)).toMatchObject({ rcode: 'NOERROR' })
  })
})
