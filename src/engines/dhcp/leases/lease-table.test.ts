import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Lease } from './lease.ts'
import { LeaseTable } from './lease-table.ts'

function lease(changes: Partial<Lease>): Lease {
  return {
    address: 1,
    mac: 'a',
    clientId: '',
    hostname: '',
    vmName: '',
    cluster: '',
    state: 'Active',
    startMs: 0,
    expiresMs: 1000,
    sequence: 1,
    ...changes,
  }
}

describe('LeaseTable', () => {
  test('a client has one lease, an address has one', () => {
    const table = new LeaseTable()
    table.put(lease({ address: 1, mac: 'a' }))
    expect(table.put(lease({ address: 2, mac: 'a' }))).toMatchObject([{ address: 1 }])
    expect(table.put(lease({ address: 2, mac: 'b' }))).toMatchObject([{ mac: 'a' }])
    expect([table.size, table.ofClient('a'), table.ofClient('b')?.address, table.at(1)]).toEqual([
      1,
      undefined,
      2,
      undefined,
    ])
  })

  test('a declined address is nobody’s', () => {
    const table = new LeaseTable()
    table.put(lease({ address: 1, mac: 'a', state: 'Declined' }))
    table.put(lease({ address: 2, mac: 'a' }))
    expect([table.size, table.ofClient('a')?.address, table.at(1)?.state]).toEqual([2, 2, 'Declined'])
  })

  test('leases end in the order of their time, whatever order they came in', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100), { maxLength: 60 }), fc.nat(100), (ends, nowMs) => {
        const table = new LeaseTable()
        for (const [index, expiresMs] of ends.entries())
          table.put(lease({ address: index, mac: `m${index}`, expiresMs }))
        for (let index = 0; index < ends.length; index += 3) table.forget(index)
        const expected = ends.filter((expiresMs, index) => index % 3 !== 0 && expiresMs <= nowMs).sort((a, b) => a - b)
        expect(table.sweep(nowMs).map((ended) => ended.expiresMs)).toEqual(expected)
        expect(table.longestIdle?.expiresMs).toBe(expected[0])
        expect(table.activeCount).toBe(table.size - expected.length)
      }),
    )
  })

  test('sequence numbers go on from the highest that was put in', () => {
    const table = new LeaseTable()
    table.put(lease({ sequence: 41 }))
    table.put(lease({ address: 2, mac: 'b', sequence: 7 }))
    expect(table.nextSequence()).toBe(42)
  })
})
