import fc from 'fast-check'
import { expect, test } from 'vitest'
import { leaseStates } from './lease.ts'
import { fromRecord, toRecord, toRecordJson } from './lease-record.ts'

const text = fc.oneof(fc.constant(''), fc.string({ unit: 'binary', maxLength: 20 }))
const timeMs = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) })
const lease = fc.record({
  address: fc.integer({ min: 0, max: 0xffffffff }),
  mac: fc.string({ minLength: 1, maxLength: 20 }),
  clientId: text,
  hostname: text,
  vmName: text,
  cluster: text,
  state: fc.constantFrom(...leaseStates),
  startMs: timeMs,
  expiresMs: timeMs,
  sequence: fc.nat(),
})

test('a lease is the same as record, as JSON and back', () => {
  fc.assert(
    fc.property(lease, (any) => {
      expect(toRecordJson(any)).toBe(JSON.stringify(toRecord(any)))
      expect(fromRecord(JSON.parse(toRecordJson(any)))).toEqual(any)
    }),
  )
})
