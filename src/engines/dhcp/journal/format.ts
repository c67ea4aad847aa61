import { crc32 } from 'node:zlib'
import type { Lease } from '../leases/lease.ts'
import { fromRecord, toRecordJson } from '../leases/lease-record.ts'

/**
 * The journal is text, so that a person with `less` can see what a server knew. The first line names the format and
 * its version. Every further line is one commit: a checksum and the leases that were written together, as JSON.
 *
 *     oooi-leases 1
 *     c5d2…a1 [{"address":"192.168.100.20","mac":"02:00:00:00:00:01","state":"Active",…}]
 *
 * A line is only written once the line before it is on disk. So a line that does not match its checksum is a commit
 * the machine died in, which nobody was told of, if it is the last; anywhere else it is damage.
 */
export const formatName = 'oooi-leases'
export const formatVersion = 1
export const header = `${formatName} ${formatVersion}\n`

const newline = 0x0a
const checksumLength = 8
const noChecksum = ' '.repeat(checksumLength)
/** Between checksum and leases, and nowhere inside a lease. */
const contentStart = ' ['

export function encodeCommit(leases: readonly Lease[]): Buffer {
  const bytes = Buffer.from(`${noChecksum} [${leases.map(toRecordJson).join(',')}]\n`)
  bytes.write(checksum(bytes.subarray(checksumLength + 1, -1)), 'latin1')
  return bytes
}

function checksum(content: Buffer): string {
  return crc32(content).toString(16).padStart(checksumLength, '0')
}

export type Parsed =
  | {
      readonly kind: 'leases'
      readonly leases: readonly Lease[]
      /** Bytes that are whole commits. */
      readonly length: number
    }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'newer'; readonly version: number }
  | { readonly kind: 'damaged'; readonly line: number }

/** Total: any bytes give the leases in the order they were written, or the reason why they cannot be had. */
export function parseJournal(bytes: Buffer): Parsed {
  const headerEnd = bytes.indexOf(newline)
  const headerText = bytes.toString('latin1', 0, headerEnd < 0 ? bytes.length : headerEnd)
  const version = new RegExp(`^${formatName} ([1-9]\\d{0,5})$`).exec(headerText)?.[1]
  if (version === undefined || headerEnd < 0) return { kind: 'foreign' }
  if (Number(version) > formatVersion) return { kind: 'newer', version: Number(version) }

  const leases: Lease[] = []
  let length = headerEnd + 1
  for (let line = 2; length < bytes.length; line++) {
    const commit = commitAt(bytes, length)
    if (commit === undefined) return hasCommitAfter(bytes, length) ? { kind: 'damaged', line } : done(leases, length)
    for (const lease of commit.leases) leases.push(lease)
    length = commit.end
  }
  return done(leases, length)
}

function done(leases: readonly Lease[], length: number): Parsed {
  return { kind: 'leases', leases, length }
}

function commitAt(
  bytes: Buffer,
  start: number,
): { readonly leases: readonly Lease[]; readonly end: number } | undefined {
  const newlineAt = bytes.indexOf(newline, start)
  const leases = newlineAt < 0 ? undefined : parseCommit(bytes.subarray(start, newlineAt))
  return leases && { leases, end: newlineAt + 1 }
}

/** Looked for at every place, not only after a newline: that may be the very byte that is damaged. */
function hasCommitAfter(bytes: Buffer, start: number): boolean {
  for (let at = bytes.indexOf(contentStart, start + 1); at >= 0; at = bytes.indexOf(contentStart, at + 1)) {
    if (at - checksumLength > start && commitAt(bytes, at - checksumLength) !== undefined) return true
  }
  return false
}

function parseCommit(line: Buffer): readonly Lease[] | undefined {
  const content = line.subarray(checksumLength + 1)
  if (line.toString('latin1', 0, checksumLength + 1) !== `${checksum(content)} `) return undefined
  const leases: Lease[] = []
  for (const record of parseJsonArray(content.toString())) {
    const lease = fromRecord(record)
    if (lease === undefined) return undefined
    leases.push(lease)
  }
  return leases
}

function parseJsonArray(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : [undefined]
  } catch {
    return [undefined]
  }
}
