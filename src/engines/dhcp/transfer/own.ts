import { fromRecord, type LeaseRecord } from '../leases/lease-record.ts'
import type { BadLine, ForeignLease, LeaseFormat } from './lease-file.ts'

const heading = '{"oooi-leases":1}'

/** What `oooi leases export` writes: a heading, then one lease per line as JSON. */
export const ownFormat: LeaseFormat = {
  name: 'oooi',
  matches: (text) => text.startsWith(heading),
  read: (text) => {
    const leases: ForeignLease[] = []
    const bad: BadLine[] = []
    for (const [index, line] of text.split('\n').entries()) {
      if (index === 0 || line === '') continue
      const lease = fromRecord(parseJson(line))
      if (lease === undefined) bad.push({ line: index + 1, why: 'it is not a lease that oooi wrote' })
      else leases.push(lease)
    }
    return { leases, bad }
  },
}

export function writeOwnFormat(records: readonly LeaseRecord[]): string {
  return `${[heading, ...records.map((record) => JSON.stringify(record))].join('\n')}\n`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
