import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Lease } from '../leases/lease.ts'
import { encodeCommit, header, parseJournal } from './format.ts'

function lease(sequence: number, changes: Partial<Lease> = {}): Lease {
  return {
    address: 0xc0a8640a + sequence,
    mac: '02:00:00:00:00:01',
    clientId: '0102',
    hostname: 'w1',
    vmName: 'w1',
    cluster: 'c1',
    state: 'Active',
    startMs: Date.UTC(2026, 0, 1),
    expiresMs: Date.UTC(2026, 0, 1, 1),
    sequence,
    ...changes,
  }
}

const commits = [
  [lease(1)],
  [lease(2), lease(3, { hostname: '', vmName: '', cluster: '', clientId: '' })],
  [lease(4, { state: 'Declined' })],
]
const journal = Buffer.concat([Buffer.from(header), ...commits.map(encodeCommit)])

describe('the journal', () => {
  test('is text that a person can read', () => {
    expect(journal.toString().split('\n').slice(0, 2)).toEqual([
      'oooi-leases 1',
      expect.stringMatching(
        /^[0-9a-f]{8} \[\{"address":"192\.168\.100\.11","mac":"02:00:00:00:00:01","clientId":"0102","hostname":"w1","vmName":"w1","cluster":"c1","state":"Active","start":"2026-01-01T00:00:00\.000Z","expires":"2026-01-01T01:00:00\.000Z","sequence":1\}\]$/,
      ),
    ])
  })

  test('is read back as it was written', () => {
    expect(parseJournal(journal)).toEqual({ kind: 'leases', leases: commits.flat(), length: journal.length })
  })

  test('cut at any byte gives every commit before the cut', () => {
    const ends = commits.map(
      (_, index) => header.length + Buffer.concat(commits.slice(0, index + 1).map(encodeCommit)).length,
    )
    for (let cut = header.length; cut <= journal.length; cut++) {
      const whole = ends.filter((end) => end <= cut).length
      const expected = {
        kind: 'leases',
        leases: commits.slice(0, whole).flat(),
        length: ends[whole - 1] ?? header.length,
      }
      expect(parseJournal(journal.subarray(0, cut))).toEqual(expected)
    }
  })

  test('a last commit of zeros, as a machine that lost power leaves it, is dropped', () => {
    const torn = Buffer.concat([journal, Buffer.alloc(4096)])
    expect(parseJournal(torn)).toMatchObject({ kind: 'leases', length: journal.length })
  })

  test('any changed byte is noticed: damage before the last commit, or the last commit dropped', () => {
    const lastStart = journal.length - encodeCommit(commits[2] ?? []).length
    for (let at = header.length; at < journal.length; at++) {
      const changed = Buffer.from(journal)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(parseJournal(changed)).toMatchObject(
        at < lastStart ? { kind: 'damaged' } : { kind: 'leases', length: lastStart },
      )
    }
  })

  test('of a newer version, or of somebody else, is said to be so', () => {
    expect(parseJournal(Buffer.from('oooi-leases 2\n'))).toEqual({ kind: 'newer', version: 2 })
    expect(parseJournal(Buffer.from('{"leases": []}\n'))).toEqual({ kind: 'foreign' })
    expect(parseJournal(Buffer.from('oooi-lea'))).toEqual({ kind: 'foreign' })
  })

  test('whatever the bytes are, reading them ends with an answer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, withHeader) => {
        const { kind } = parseJournal(Buffer.concat([Buffer.from(withHeader ? header : ''), bytes]))
        expect(['leases', 'foreign', 'newer', 'damaged']).toContain(kind)
      }),
    )
  })
})
