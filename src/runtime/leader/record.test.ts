import { describe, expect, test } from 'vitest'
import type { Lease } from '../kube/kinds.ts'
import { mayTake, newLease, released, sight, taken } from './record.ts'

const now = Date.UTC(2026, 0, 1)
const ref = { namespace: 'default', name: 'lock' }
const stored = (lease: Lease, resourceVersion: string): Lease => ({
  ...lease,
  metadata: { ...lease.metadata, resourceVersion },
})
const mine = stored(newLease(ref, 'me', 15, now), '1')

test('a Lease has times with six fractional digits', () => {
  expect(mine.spec).toEqual({
    holderIdentity: 'me',
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime: '2026-01-01T00:00:00.000000Z',
    leaseTransitions: 0,
  })
})

describe('who may take it', () => {
  test('the holder and anybody when it was given back', () => {
    const sighting = { lease: mine, seenAtMs: 0 }
    expect([mayTake(sighting, 'me', 1), mayTake(sighting, 'you', 1)]).toEqual([true, false])
    expect(mayTake({ lease: released(mine, now), seenAtMs: 0 }, 'you', 0)).toBe(true)
    expect(mayTake({ lease: { ...mine, spec: {} }, seenAtMs: 0 }, 'you', 0)).toBe(true)
  })

  test('others only when they saw no renewal for as long as it lasts, by their own clock', () => {
    const first = sight(undefined, mine, 1000)
    const again = sight(first, mine, 15_000)
    expect([mayTake(again, 'you', 15_999), mayTake(again, 'you', 16_000)]).toEqual([false, true])
    const renewed = sight(again, stored(taken(mine, 'me', 15, now), '2'), 15_500)
    expect(mayTake(renewed, 'you', 16_000)).toBe(false)
  })
})

test('renewing keeps the time of acquisition; changing hands counts', () => {
  const renewed = taken(mine, 'me', 15, now + 5000)
  expect(renewed.spec).toMatchObject({ acquireTime: mine.spec?.acquireTime, renewTime: '2026-01-01T00:00:05.000000Z' })
  expect(taken(renewed, 'you', 15, now + 9000).spec).toMatchObject({
    holderIdentity: 'you',
    acquireTime: '2026-01-01T00:00:09.000000Z',
    leaseTransitions: 1,
  })
})

test('fields that we do not know stay', () => {
  const lease = { ...mine, spec: { ...mine.spec, strategy: 'OldestEmulationVersion' } }
  expect(taken(lease, 'me', 15, now).spec).toMatchObject({ strategy: 'OldestEmulationVersion' })
})
