import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Lease } from '../leases/lease.ts'
import { mergeLeases } from './merge.ts'

function lease(address: number, mac: string, sequence: number, state: Lease['state'] = 'Active'): Lease {
  return {
    address,
    mac,
    sequence,
    state,
    clientId: '',
    hostname: '',
    vmName: '',
    cluster: '',
    startMs: 0,
    expiresMs: 9,
  }
}

test('the higher sequence number wins an address, wherever it comes from', () => {
  const older = lease(1, 'a', 3)
  const newer = lease(1, 'b', 5)
  expect(mergeLeases([older], [newer]).leases).toEqual([newer])
  expect(mergeLeases([newer], [older]).leases).toEqual([newer])
})

test('of equals the journal is believed', () => {
  const expired = lease(1, 'a', 3, 'Expired')
  expect(mergeLeases([expired], [lease(1, 'a', 3)]).leases).toEqual([expired])
})

test('a client that moved has its newest address only; the other is lost', () => {
  const before = lease(1, 'a', 3)
  const after = lease(2, 'a', 7)
  expect(mergeLeases([after], [before])).toEqual({ leases: [after], lost: [before] })
})

test('each address and each client once, the newest number kept, in order', () => {
  const arbitrary = fc.array(
    fc.record({ address: fc.nat(9), mac: fc.constantFrom('a', 'b', 'c', 'd'), inJournal: fc.boolean() }),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(arbitrary, (grants) => {
      const all = grants.map(({ address, mac }, index) => lease(address, mac, index + 1))
      const journal = all.filter((_, index) => grants[index]?.inJournal)
      const mirrored = all.filter((_, index) => !grants[index]?.inJournal)
      const { leases, lost } = mergeLeases(journal, mirrored)
      // What one server that saw everything would know.
      expect(leases).toEqual(mergeLeases(all, []).leases)
      expect(new Set(leases.map(({ mac }) => mac)).size).toBe(leases.length)
      expect(leases.at(-1)?.sequence).toBe(all.at(-1)?.sequence)
      const held = new Set(leases.map(({ address }) => address))
      expect(lost.filter(({ address }) => held.has(address))).toEqual([])
    }),
  )
})
