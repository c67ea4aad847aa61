import { formatIpv4 } from '../../../core/net/ipv4.ts'
import { failed, ok, type Problem, type Result } from '../../../core/result.ts'
import type { Lease } from '../leases/lease.ts'
import { LeaseTable } from '../leases/lease-table.ts'
import { dnsmasqFormat } from './dnsmasq.ts'
import { iscFormat } from './isc.ts'
import { keaFormat } from './kea.ts'
import type { ForeignLease, LeaseFormat } from './lease-file.ts'
import { ownFormat } from './own.ts'
import { plainFormat } from './plain.ts'

const formats: readonly LeaseFormat[] = [ownFormat, keaFormat, iscFormat, dnsmasqFormat, plainFormat]

interface ReadFile {
  readonly format: string
  readonly leases: readonly ForeignLease[]
}

/** The leases of a file, all of them, or everything that is wrong with it. */
export function readLeaseFile(text: string, file: string, nowMs: number): Result<ReadFile> {
  const format = formats.find(({ matches }) => matches(text))
  if (format === undefined) {
    const names = formats.map(({ name }) => name).join(', ')
    return failed(unreadable(file, `it is none of the kinds of lease files that can be read: ${names}`))
  }
  const { leases, bad } = format.read(text, nowMs)
  if (bad.length > 0) return failed(...bad.map(({ line, why }) => ({ ...unreadable(file, why), at: { file, line } })))
  return ok({ format: format.name, leases: lastWords(leases) })
}

/** Such files are written on at their end: of what they say about an address or a client the last counts. */
function lastWords(leases: readonly ForeignLease[]): readonly ForeignLease[] {
  const table = new LeaseTable()
  for (const [sequence, lease] of leases.entries()) table.put({ ...lease, sequence })
  return table.all()
}

/**
 * What has to be written so that the table knows these leases too. A lease in force here that a lease of the file
 * contradicts is a problem: then nothing is.
 */
export function takeOverLeases(table: LeaseTable, leases: readonly ForeignLease[]): Result<readonly Lease[]> {
  const problems = leases.flatMap((lease) => contradiction(table, lease) ?? [])
  if (problems.length > 0) return failed(...problems)
  const written: Lease[] = []
  for (const lease of leases) {
    const here = table.at(lease.address)
    if (here !== undefined && here.state === 'Active' && here.expiresMs >= lease.expiresMs) continue
    const numbered = { ...lease, sequence: table.nextSequence() }
    table.put(numbered)
    written.push(numbered)
  }
  return ok(written)
}

function contradiction(table: LeaseTable, lease: ForeignLease): Problem | undefined {
  if (lease.state !== 'Active') return undefined
  const there = table.at(lease.address)
  const own = table.ofClient(lease.mac)
  const other = there?.state === 'Active' && there.mac !== lease.mac ? there : own
  if (other?.state !== 'Active' || (other.mac === lease.mac && other.address === lease.address)) return undefined
  return {
    reason: 'LeaseConflict',
    message: `the file lends ${formatIpv4(lease.address)} to ${lease.mac}, but ${formatIpv4(other.address)} is lent to ${other.mac} here: end one of the two, e.g. with oooi leases evict ${formatIpv4(other.address)}`,
  }
}

function unreadable(file: string, why: string): Problem {
  return { reason: 'LeaseFileInvalid', message: `${file} cannot be imported: ${why}; nothing was imported` }
}
