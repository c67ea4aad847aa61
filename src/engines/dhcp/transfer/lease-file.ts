import { parseIpv4 } from '../../../core/net/ipv4.ts'
import { parseMac } from '../../../core/net/mac.ts'
import type { Lease } from '../leases/lease.ts'

/** A lease as a file tells it; the journal that takes it in numbers it. */
export type ForeignLease = Omit<Lease, 'sequence'>

export interface BadLine {
  readonly line: number
  /** Completes "line 3: …". */
  readonly why: string
}

export interface LeaseFile {
  /** In the order of the file: a later one about an address or a client replaces an earlier one. */
  readonly leases: readonly ForeignLease[]
  readonly bad: readonly BadLine[]
}

/** How another program writes its leases down. */
export interface LeaseFormat {
  readonly name: string
  /** Is this text of that kind? Judged by its first lines. */
  readonly matches: (text: string) => boolean
  /** Total: any text gives leases and complaints. */
  readonly read: (text: string, nowMs: number) => LeaseFile
}

/** What differs from one format to the next; all of it as the file spells it. */
export interface LeaseText {
  readonly address: string
  readonly mac: string
  readonly expiresMs: number
  readonly startMs?: number | undefined
  readonly hostname?: string
  readonly clientId?: string
  readonly state?: Lease['state']
}

/** Leases without an end have one here: ten years, the longest lease there is. */
export const longestLeaseMs = 87_600 * 3600 * 1000

/** The lease, or what is wrong with it. What has run out is kept as memory of its client. */
export function leaseFrom(text: LeaseText, nowMs: number): ForeignLease | string {
  const address = parseIpv4(text.address)
  if (address === undefined) return `${quoted(text.address)} is not an IPv4 address`
  const mac = parseMac(text.mac)
  if (mac === undefined) return `${quoted(text.mac)} is not a MAC address`
  const { expiresMs } = text
  if (!Number.isSafeInteger(expiresMs) || Math.abs(expiresMs) > latestMs) return 'the end of the lease is not a time'
  const state = text.state ?? 'Active'
  return {
    address,
    mac,
    clientId: /^([0-9a-f]{2}){0,255}$/.test(text.clientId ?? '') ? (text.clientId ?? '') : '',
    hostname: text.hostname ?? '',
    vmName: '',
    cluster: '',
    state: state === 'Active' && expiresMs <= nowMs ? 'Expired' : state,
    startMs: Math.min(text.startMs ?? nowMs, expiresMs),
    expiresMs,
  }
}

/** The last moment that has a date in RFC 3339. */
const latestMs = Date.UTC(9999, 11, 31)

export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}

/** Reads a file of one lease per line. `read` gives the lease, a complaint, or undefined for a line that is none. */
export function readLines(
  text: string,
  nowMs: number,
  read: (line: string, index: number) => LeaseText | string | undefined,
): LeaseFile {
  const leases: ForeignLease[] = []
  const bad: BadLine[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const found = read(line, index)
    const lease = typeof found === 'object' ? leaseFrom(found, nowMs) : found
    if (typeof lease === 'string') bad.push({ line: index + 1, why: lease })
    else if (lease !== undefined) leases.push(lease)
  }
  return { leases, bad }
}
