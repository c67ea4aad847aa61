import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toRecord } from '../leases/lease-record.ts'
import { LeaseTable } from '../leases/lease-table.ts'
import { readLeaseFile, takeOverLeases } from './import.ts'
import { longestLeaseMs } from './lease-file.ts'
import { writeOwnFormat } from './own.ts'

const noonMs = Date.UTC(2026, 0, 1, 12)
const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')

/** Each lease of a text as `address mac state end name`, after all lines were taken in. */
function imported(text: string): string[] {
  const read = readLeaseFile(text, 'x', noonMs)
  if (!read.ok) return read.problems.map(({ message, at }) => `${at?.line}: ${message}`)
  const table = new LeaseTable()
  takeOverLeases(table, read.value.leases)
  return table
    .all()
    .map(toRecord)
    .map(({ address, mac, state, expires, hostname, clientId }) =>
      [address, mac, state, expires, hostname, clientId].filter(Boolean).join(' '),
    )
    .toSorted()
}

describe('leases of other servers', () => {
  test('leases.txt of CoreDHCP', () => {
    expect(imported(fixture('leases.txt'))).toEqual([
      '192.168.100.20 02:00:00:00:00:01 Active 2026-01-01T13:00:00.000Z',
      '192.168.100.21 02:00:00:00:00:02 Expired 2026-01-01T11:00:00.000Z',
      '192.168.100.22 02:00:00:00:00:03 Active 2026-01-01T12:30:00.000Z',
    ])
    expect(imported('02:00:00:00:00:01,192.168.100.20,1767272400')).toEqual([
      '192.168.100.20 02:00:00:00:00:01 Active 2026-01-01T13:00:00.000Z',
    ])
  })

  test('Kea: the last line about a lease counts, a deleted one is remembered, a declined one stays so', () => {
    expect(imported(fixture('kea-leases4.csv'))).toEqual([
      '192.168.100.20 02:00:00:00:00:01 Active 2026-01-01T13:00:00.000Z worker-1.c1.example.com 01020000000001',
      '192.168.100.21 02:00:00:00:00:02 Active 2026-01-01T13:00:00.000Z',
      '192.168.100.22 02:00:00:00:00:03 Released 2026-01-01T12:01:40.000Z',
      '192.168.100.23 00:00:00:00:00:00 Declined 2026-01-02T12:00:00.000Z',
    ])
  })

  test('dnsmasq: an end of 0 is none, IPv6 is passed over', () => {
    const never = new Date(noonMs + longestLeaseMs).toISOString()
    expect(imported(fixture('dnsmasq.leases'))).toEqual([
      '192.168.100.20 02:00:00:00:00:01 Active 2026-01-01T13:00:00.000Z worker-1 01020000000001',
      `192.168.100.21 02:00:00:00:00:02 Active ${never}`,
      '192.168.100.22 02:00:00:00:00:03 Expired 2026-01-01T11:58:20.000Z worker-3 ffabcd',
    ])
  })

  test('ISC dhcpd: free leases are remembered, abandoned ones set aside', () => {
    const never = new Date(noonMs + longestLeaseMs).toISOString()
    expect(imported(fixture('dhcpd.leases'))).toEqual([
      '192.168.100.20 02:00:00:00:00:01 Active 2026-01-01T13:00:00.000Z worker-1 01020000000001',
      '192.168.100.21 02:00:00:00:00:02 Expired 2026-01-01T10:00:00.000Z 01020000000002',
      `192.168.100.22 02:00:00:00:00:03 Active ${never} worker-3`,
      '192.168.100.23 00:00:00:00:00:00 Declined 2026-01-02T09:00:00.000Z',
    ])
  })

  test('what oooi exports comes back as it was', () => {
    const table = new LeaseTable()
    const read = readLeaseFile(fixture('dhcpd.leases'), 'x', noonMs)
    takeOverLeases(table, read.ok ? read.value.leases : [])
    const text = writeOwnFormat(table.all().map(toRecord))
    expect(imported(text)).toEqual(imported(fixture('dhcpd.leases')))
  })
})

describe('what cannot be imported', () => {
  test.each<[string, string, string]>([
    ['neither', 'hello\n', 'undefined: x cannot be imported: it is none of the kinds'],
    [
      'a bad address',
      '02:00:00:00:00:01 192.168.100.20 2026-01-01T13:00:00Z\n02:00:00:00:00:01 1.2.3 0',
      '2: x cannot',
    ],
    ['a bad end', '02:00:00:00:00:01 192.168.100.20 tomorrow', '1: x cannot be imported: the end of the lease'],
    ['a missing field', '02:00:00:00:00:01 192.168.100.20 ', '1: x cannot be imported: expected three fields'],
    ['a bad MAC', '1767272400 02:00 192.168.100.20 * *', '1: x cannot be imported: "02:00" is not a MAC address'],
    ['a Kea file without a column', 'address,hwaddr,client_id,expire\n', '1: x cannot be imported: the column valid_l'],
    [
      'a lease that has no end',
      'lease 192.168.100.20 {\n  binding state active;\n',
      '1: x cannot be imported: the lease',
    ],
    [
      'a state of its own',
      'lease 192.168.100.20 {\n  binding state odd;\n}\n',
      '1: x cannot be imported: binding state',
    ],
  ])('%s', (_name, text, message) => {
    expect(imported(text)[0]).toContain(message)
  })

  test('any text gives leases or problems', () => {
    const texts = ['leases.txt', 'kea-leases4.csv', 'dnsmasq.leases', 'dhcpd.leases'].map(fixture)
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.nat(2000), fc.string({ unit: 'binary' }), (text, at, noise) => {
        const where = at % text.length
        imported(text.slice(0, where) + noise + text.slice(where + noise.length))
      }),
    )
  })

  test('a lease that contradicts one in force here stops it all; one that is known already is passed over', () => {
    const table = new LeaseTable()
    const first = readLeaseFile(fixture('leases.txt'), 'x', noonMs)
    if (!first.ok) throw new Error()
    expect(takeOverLeases(table, first.value.leases)).toMatchObject({ ok: true, value: { length: 3 } })
    // The one that had run out is taken in again: it is memory only.
    expect(takeOverLeases(table, first.value.leases)).toMatchObject({ ok: true, value: { length: 1 } })
    for (const text of [
      '02:00:00:00:00:09 192.168.100.20 2026-01-01T13:00:00Z',
      '02:00:00:00:00:01 192.168.100.99 2026-01-01T13:00:00Z',
    ]) {
      const other = readLeaseFile(text, 'x', noonMs)
      expect(other.ok && takeOverLeases(table, other.value.leases)).toMatchObject({
        ok: false,
        problems: [{ reason: 'LeaseConflict', message: expect.stringContaining('evict 192.168.100.20') }],
      })
    }
    expect(table.size).toBe(3)
  })
})
