import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findCoredns } from '../../../tools/coredns/coredns.ts'
import { type CorednsFiles, renderCoredns } from '../../core/coredns/corefile.ts'
import { askAll, differences, namesOf, packetsFor } from './compare-for-tests.ts'
import { answerTo, ScriptedUpstream } from './forward/scripted-upstream.ts'
import { formatUpstream } from './forward/upstream-address.ts'
import { type Peer, startCoredns } from './peers-for-tests.ts'
import { Bench, dnsServer, domain, outcome, query } from './testing.ts'

/** The same DNSServer served by CoreDNS, from what we render for it, and by us: both views, the same questions. */
const directory = mkdtempSync(join(tmpdir(), 'oooi-dns-coredns-'))
const zoneDirectory = join(directory, 'zones')
const address = '127.0.0.1'
const podAddresses = ['10.128.0.5']
const clientIn = { vlan: '127.53.7.9', pod: '127.0.0.1' } as const

const resource = (dnsPort: number) =>
  dnsServer(
    {
      networkConfig: {
        serverIP: '127.53.7.3',
        proxyIP: '127.53.7.10',
        secondaryNetworkCIDR: '127.53.7.0/24',
        dnsPort,
      },
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
      forwarding: { enabled: false },
    },
    {
      resolved: {
        records: [
          { hostname: `vm1.${domain}`, addresses: ['127.53.7.60'], internalAddresses: ['10.128.0.60'] },
          { hostname: `api.${domain}`, addresses: ['127.53.7.66'] },
          { hostname: `vm2.apps.${domain}`, addresses: ['127.53.7.61'] },
          { hostname: `vm3.special.apps.${domain}`, addresses: ['127.53.7.62'] },
        ],
      },
    },
  )

function rendered(port: number): CorednsFiles {
  const options = { zoneDirectory, serial: 1, podAddresses, bind: [address], clusterResolvers: [] }
  const result = renderCoredns(resource(port), { ...options, clusterDomains: ['cluster.local'] })
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join())
  return result.value
}

let coredns: Peer

beforeAll(async () => {
  const program = await findCoredns(process.env)
  mkdirSync(zoneDirectory)
  for (const [file, text] of rendered(53).zoneFiles) writeFileSync(join(zoneDirectory, file), text)
  coredns = await startCoredns(program, address, join(directory, 'run'), (port) => rendered(port).corefile)
})
afterAll(async () => {
  await coredns?.stop()
  rmSync(directory, { recursive: true, force: true })
})

describe('CoreDNS with everything switched on', () => {
  it('forwards, caches, and follows the name of the proxy into the cluster', async () => {
    const cluster = await ScriptedUpstream.start((asked) => answerTo(asked, { addresses: ['172.30.0.77'] }))
    const upstream = await ScriptedUpstream.start((asked) => answerTo(asked, { addresses: ['192.0.2.9'] }))
    const folder = join(directory, 'everything')
    mkdirSync(folder)
    const peer = await startCoredns(await findCoredns(process.env), address, join(folder, 'run'), (dnsPort) => {
      const server = dnsServer({
        networkConfig: {
          serverIP: '127.53.7.3',
          proxyIP: '127.53.7.10',
          internalProxyIP: 'proxy.clusters.svc.cluster.local',
          secondaryNetworkCIDR: '127.53.7.0/24',
          dnsPort,
        },
        staticEntries: [{ hostname: `api.${domain}`, ip: '127.53.7.10' }],
        upstreamDNS: [formatUpstream(upstream.address), 'tls://127.0.0.1#dns.example.org'],
        queryLog: true,
      })
      const options = { zoneDirectory: folder, serial: 1, podAddresses, bind: [address] }
      const resolvers = { clusterDomains: ['cluster.local'], clusterResolvers: [formatUpstream(cluster.address)] }
      const result = renderCoredns(server, { ...options, ...resolvers })
      if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join())
      for (const [file, text] of result.value.zoneFiles) writeFileSync(join(folder, file), text)
      return result.value.corefile
    })
    try {
      const names = [`api.${domain}`, 'www.example.net', 'x.svc.cluster.local']
      const packets = names.map((name, id) => query(name, 'A', { id }))
      const outcomes = async (from: string) => (await askAll({ address, port: peer.port }, packets, from)).map(outcome)
      expect(await outcomes(clientIn.vlan)).toMatchObject([
        { answers: [`api.${domain} A 127.53.7.10`] },
        { answers: ['www.example.net A 192.0.2.9'] },
        { rcode: 'REFUSED' },
      ])
      const target = 'proxy.clusters.svc.cluster.local'
      expect(await outcomes(clientIn.pod)).toMatchObject([
        { answers: [`api.${domain} CNAME ${target}`, `${target} A 172.30.0.77`] },
        { answers: ['www.example.net A 192.0.2.9'] },
        { answers: ['x.svc.cluster.local A 172.30.0.77'] },
      ])
      const asked = upstream.queries.filter(({ questions }) => questions?.[0]?.name === 'www.example.net')
      expect(asked).toHaveLength(1)
    } finally {
      await peer.stop()
      cluster.stop()
      upstream.stop()
    }
  })
})

describe('CoreDNS with what we render for it answers as we do', () => {
  const labels = ['api', 'ns', 'apps', 'special', 'deep', 'down', 'below', 'vm1', 'vm2', 'vm3', 'inner', 'x']
  const names = [
    ...namesOf([domain, 'c2.example.net'], labels, 2),
    ...namesOf([`down.below.${domain}`, `special.apps.${domain}`], labels, 1),
    ...Array.from({ length: 256 }, (_, index) => `${index}.7.53.127.in-addr.arpa`),
    'ignition.apps.mgmt.example.org',
  ]

  it.each(['vlan', 'pod'] as const)('on the %s side', async (view) => {
    const bench = new Bench(resource(53), { podAddresses })
    const packets = packetsFor(names)
    const theirs = await askAll({ address, port: coredns.port }, packets, clientIn[view])
    expect(differences(packets, (packet) => bench.send(packet, view), theirs)).toEqual([])
  })

  it('and refuses what it is to refuse', async () => {
    const packets = ['x.svc.cluster.local', 'www.example.net'].map((name, id) => query(name, 'A', { id }))
    for (const from of Object.values(clientIn)) {
      const replies = await askAll({ address, port: coredns.port }, packets, from)
      expect(replies.map((reply) => (reply[3] ?? 0) & 15)).toEqual([5, 5])
    }
  })
})
