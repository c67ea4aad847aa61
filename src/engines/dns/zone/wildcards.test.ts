import { decode } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { encodeName } from '../codec/name.ts'
import { extendedError, messageLimit, recordType } from '../codec/numbers.ts'
import { Query } from '../codec/query.ts'
import { writeReply } from '../codec/reply.ts'
import { query, rcodeOf } from '../testing.ts'
import { MachineNames } from './machines.ts'
import { NameTree } from './name-tree.ts'
import { recordSet } from './record-set.ts'

const seed = 4592
const text = (value: string) => Uint8Array.of(value.length, ...Buffer.from(value))

/** The zone of RFC 4592 section 2.2.1, without its delegation. */
function exampleZone(): NameTree {
  const source = { nameServer: encodeName('ns.example.com'), mailbox: encodeName('hostmaster.example'), serial: 1 }
  const tree = new NameTree(seed, 'vlan', new MachineNames(seed), source)
  const mail = Uint8Array.of(0, 10, ...encodeName('host1.example'))
  const service = Uint8Array.of(0, 0, 0, 0, 0, 22, ...encodeName('host1.example'))
  tree.addZone('example')
  tree.add('*.example', [
    recordSet(recordType.TXT, 3600, [text('this is a wildcard')]),
    recordSet(recordType.MX, 3600, [mail]),
  ])
  tree.add('sub.*.example', [recordSet(recordType.TXT, 3600, [text('this is not a wildcard')])])
  tree.add('host1.example', [recordSet(recordType.A, 3600, [Uint8Array.of(192, 0, 2, 1)])])
  tree.add('_ssh._tcp.host1.example', [recordSet(recordType.SRV, 3600, [service])])
  tree.add('_ssh._tcp.host2.example', [recordSet(recordType.SRV, 3600, [service])])
  return tree
}

function ask(tree: NameTree, name: string, type: string): string {
  const incoming = new Query(seed)
  incoming.parse(query(name, type), 'tcp')
  const answer = tree.lookup(incoming.name, incoming.type)
  if (answer === undefined) return 'not ours'
  const out = Buffer.alloc(messageLimit)
  const reply = decode(out.subarray(0, writeReply(out, 0, incoming, answer, false, 0, extendedError.none)))
  const [first] = reply.answers ?? []
  if (first !== undefined) return `${first.name} ${first.type}`
  expect(reply.authorities).toMatchObject([{ type: 'SOA', name: 'example' }])
  return rcodeOf(reply) === 'NXDOMAIN' ? 'no such name' : 'no data'
}

describe('RFC 4592 section 2.2.1', () => {
  const tree = exampleZone()

  it.each([
    // Synthesized from the wildcard.
    ['host3.example', 'MX', 'host3.example MX'],
    ['host3.example', 'A', 'no data'],
    ['foo.bar.example', 'TXT', 'foo.bar.example TXT'],
    // Not synthesized: the name exists,
    ['host1.example', 'MX', 'no data'],
    ['sub.*.example', 'MX', 'no data'],
    // its closest encloser has no wildcard,
    ['_telnet._tcp.host1.example', 'SRV', 'no such name'],
    ['ghost.*.example', 'MX', 'no such name'],
    ['x.host1.example', 'MX', 'no such name'],
    // or it is an empty non-terminal.
    ['_tcp.host1.example', 'SRV', 'no data'],
    ['host2.example', 'MX', 'no data'],
    // The wildcard itself is a name like any other.
    ['*.example', 'TXT', '*.example TXT'],
    ['sub.*.example', 'TXT', 'sub.*.example TXT'],
    ['_ssh._tcp.host2.example', 'SRV', '_ssh._tcp.host2.example SRV'],
    ['example', 'MX', 'no data'],
    ['example', 'SOA', 'example SOA'],
    ['elsewhere', 'A', 'not ours'],
  ])('%s %s: %s', (name, type, expected) => {
    expect(ask(tree, name, type)).toBe(expected)
  })
})

describe('names outside our zones', () => {
  it('are ours alone, without what is above and below them', () => {
    const tree = exampleZone()
    const a = (last: number) => [recordSet(recordType.A, 30, [Uint8Array.of(192, 0, 2, last)])]
    tree.add('ignition.apps.mgmt.test', a(1))
    tree.add('*.apps.mgmt.test', a(2))
    tree.add('a.deep.mgmt.test', a(3))
    const owned = ['ignition.apps.mgmt.test', 'x.apps.mgmt.test', 'x.y.apps.mgmt.test', 'a.deep.mgmt.test']
    const foreign = ['apps.mgmt.test', 'mgmt.test', 'deep.mgmt.test', 'x.ignition.apps.mgmt.test', 'b.a.deep.mgmt.test']
    expect(owned.map((name) => ask(tree, name, 'A'))).toEqual(owned.map((name) => `${name} A`))
    expect(foreign.map((name) => ask(tree, name, 'A'))).toEqual(foreign.map(() => 'not ours'))
  })
})
