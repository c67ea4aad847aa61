import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeName } from './codec/name.ts'
import { recordType } from './codec/numbers.ts'
import { askAll, differences, namesOf, packetsFor } from './compare-for-tests.ts'
import { bindCommand, knotCommand } from './name-servers-for-tests.ts'
import { type Peer, startNameServer } from './peers-for-tests.ts'
import { Bench, dnsServer, domain } from './testing.ts'
import { parseAddress } from './zone/address.ts'
import { MachineNames } from './zone/machines.ts'
import { NameTree } from './zone/name-tree.ts'
import { recordSet } from './zone/record-set.ts'

/** The same questions to Knot, to BIND and to us: programs that share no line must agree. */
const address = '127.0.0.1'
const soa = (apex: string) => `${apex}. 30 IN SOA ns.${apex}. hostmaster.${apex}. 1 7200 1800 604800 30`

/** The example of RFC 4592 section 2.2.1, without the delegation, which no DNSServer can express. */
const rfc4592 = `example. 30 IN SOA ns.example.net. hostmaster.example. 1 7200 1800 604800 30
example. 30 IN NS ns.example.net.
*.example. 30 IN TXT "this is a wildcard"
*.example. 30 IN MX 10 host1.example.
sub.*.example. 30 IN TXT "this is not a wildcard"
host1.example. 30 IN A 192.0.2.1
_ssh._tcp.host1.example. 30 IN SRV 0 0 22 host1.example.
_ssh._tcp.host2.example. 30 IN SRV 0 0 22 host2.example.
`

function rfc4592Tree(seed: number): NameTree {
  const source = { nameServer: encodeName('ns.example.net'), mailbox: encodeName('hostmaster.example'), serial: 1 }
  const names = new NameTree(seed, 'vlan', new MachineNames(seed), source)
  const text = (words: string) => Uint8Array.of(words.length, ...Buffer.from(words))
  const service = (port: number, target: string) => Uint8Array.of(0, 0, 0, 0, 0, port, ...encodeName(target))
  const host1 = parseAddress('192.0.2.1')?.bytes ?? new Uint8Array(4)
  names.addZone('example')
  names.add('*.example', [
    recordSet(recordType.TXT, 30, [text('this is a wildcard')]),
    recordSet(recordType.MX, 30, [Uint8Array.of(0, 10, ...encodeName('host1.example'))]),
  ])
  names.add('sub.*.example', [recordSet(recordType.TXT, 30, [text('this is not a wildcard')])])
  names.add('host1.example', [recordSet(recordType.A, 30, [host1])])
  names.add('_ssh._tcp.host1.example', [recordSet(recordType.SRV, 30, [service(22, 'host1.example')])])
  names.add('_ssh._tcp.host2.example', [recordSet(recordType.SRV, 30, [service(22, 'host2.example')])])
  return names
}

const resource = dnsServer(
  {
    additionalDomains: ['c2.example.net'],
    staticEntries: [
      { hostname: `api.${domain}`, ip: '192.168.100.10' },
      { hostname: `api.${domain}`, ip: 'fd00::10' },
      { hostname: `deep.down.below.${domain}`, ip: '192.168.100.11', ttl: 5 },
      { hostname: `*.apps.${domain}`, ip: '192.168.100.50' },
      { hostname: `special.apps.${domain}`, ip: '192.168.100.51' },
      { hostname: 'api.c2.example.net', ip: '192.168.100.12' },
    ],
  },
  { resolved: { records: [{ hostname: `vm1.${domain}`, addresses: ['192.168.100.60'] }] } },
)

const generated = new Map([
  [
    domain,
    `${soa(domain)}
@ 30 IN NS ns
ns 30 IN A 192.168.100.3
api 30 IN A 192.168.100.10
api 30 IN AAAA fd00::10
deep.down.below 5 IN A 192.168.100.11
*.apps 30 IN A 192.168.100.50
special.apps 30 IN A 192.168.100.51
vm1 30 IN A 192.168.100.60
`,
  ],
  [
    'c2.example.net',
    `${soa('c2.example.net')}
@ 30 IN NS ns
ns 30 IN A 192.168.100.3
api 30 IN A 192.168.100.12
`,
  ],
  [
    '100.168.192.in-addr.arpa',
    `100.168.192.in-addr.arpa. 30 IN SOA ns.${domain}. hostmaster.${domain}. 1 7200 1800 604800 30
@ 30 IN NS ns.${domain}.
3 30 IN PTR ns.${domain}.
10 30 IN PTR api.${domain}.
11 5 IN PTR deep.down.below.${domain}.
12 30 IN PTR api.c2.example.net.
51 30 IN PTR special.apps.${domain}.
60 30 IN PTR vm1.${domain}.
`,
  ],
])

const peers = { Knot: knotCommand, BIND: bindCommand }

describe.each(['Knot', 'BIND'] as const)('as %s answers', (name) => {
  const directory = mkdtempSync(join(tmpdir(), `oooi-dns-${name.toLowerCase()}-`))
  let peer: Peer

  beforeAll(async () => {
    peer = await startNameServer(peers[name], {
      address,
      directory,
      zones: new Map([['example', rfc4592], ...generated]),
    })
  })
  afterAll(async () => {
    await peer?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  const compare = async (bench: Bench, names: readonly string[]): Promise<void> => {
    const packets = packetsFor(names)
    const theirs = await askAll({ address, port: peer.port }, packets)
    expect(differences(packets, (packet) => bench.send(packet), theirs)).toEqual([])
  }

  it('the example zone of RFC 4592', async () => {
    const bench = new Bench(dnsServer())
    bench.serveTree((seed) => rfc4592Tree(seed))
    await compare(bench, namesOf(['example'], ['host1', 'host2', 'sub', '*', '_ssh', '_tcp', 'x'], 3))
  })

  it('what a DNSServer makes of two clusters and their VLAN', async () => {
    const labels = ['api', 'ns', 'apps', 'special', 'deep', 'down', 'below', 'vm1', '*', 'x']
    await compare(new Bench(resource), [
      ...namesOf([domain, 'c2.example.net'], labels, 2),
      ...namesOf([`down.below.${domain}`, `special.apps.${domain}`], labels, 1),
      ...Array.from({ length: 256 }, (_, index) => `${index}.100.168.192.in-addr.arpa`),
      'x.60.100.168.192.in-addr.arpa',
    ])
  })
})
