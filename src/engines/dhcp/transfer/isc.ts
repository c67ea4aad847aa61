import type { LeaseState } from '../leases/lease.ts'
import { type BadLine, type ForeignLease, type LeaseFormat, leaseFrom, longestLeaseMs, quoted } from './lease-file.ts'

const states: Readonly<Record<string, LeaseState>> = {
  active: 'Active',
  free: 'Expired',
  expired: 'Expired',
  backup: 'Expired',
  released: 'Released',
  abandoned: 'Declined',
}

/** dhcpd.leases of ISC: `lease 192.168.100.20 { … }`, each statement on its own line and ended by a semicolon. */
export const iscFormat: LeaseFormat = {
  name: 'ISC dhcpd',
  matches: (text) => /^\s*lease [\d.]+ \{/m.test(text),
  read: (text, nowMs) => {
    const leases: ForeignLease[] = []
    const bad: BadLine[] = []
    let block: Block | undefined
    for (const [index, rawLine] of text.split(/\r?\n/).entries()) {
      const line = rawLine.trim()
      const opened = /^lease (\S+) \{$/.exec(line)?.[1]
      if (opened !== undefined) {
        if (block !== undefined) bad.push({ line: index + 1, why: 'the lease before it has no end' })
        block = { address: opened, line: index + 1, statements: new Map() }
      } else if (block !== undefined && line === '}') {
        const lease = leaseOf(block, nowMs)
        if (typeof lease === 'string') bad.push({ line: block.line, why: lease })
        else if (lease !== undefined) leases.push(lease)
        block = undefined
      } else if (block !== undefined) {
        const [, name = '', value = ''] =
          /^(starts|ends|binding state|hardware ethernet|uid|client-hostname) (.*);$/.exec(line) ?? []
        block.statements.set(name, value)
      }
    }
    if (block !== undefined) bad.push({ line: block.line, why: 'the lease has no end' })
    return { leases, bad }
  },
}

interface Block {
  readonly address: string
  readonly line: number
  readonly statements: Map<string, string>
}

/** Undefined for an address that nobody ever had. */
function leaseOf({ address, statements }: Block, nowMs: number): ForeignLease | string | undefined {
  const stateText = statements.get('binding state') ?? 'active'
  const state = states[stateText]
  if (state === undefined) return `binding state ${quoted(stateText)} is not known`
  const mac = statements.get('hardware ethernet')
  if (mac === undefined && state !== 'Declined') return undefined
  const ends = statements.get('ends') ?? ''
  const lease = {
    address,
    mac: mac ?? '00:00:00:00:00:00',
    expiresMs: ends === 'never' ? nowMs + longestLeaseMs : timeOf(ends),
    startMs: timeOf(statements.get('starts') ?? '') || undefined,
    hostname: /^"(.*)"$/.exec(statements.get('client-hostname') ?? '')?.[1] ?? '',
    clientId: identifierOf(statements.get('uid') ?? ''),
    state,
  }
  return leaseFrom(lease, nowMs)
}

/** `4 2026/01/01 12:00:00`: day of the week, then the time in UTC; or `epoch 1767268800`. */
function timeOf(text: string): number {
  const epoch = /^epoch (\d+)/.exec(text)?.[1]
  if (epoch !== undefined) return Number(epoch) * 1000
  const [, date, time] = /^\d (\d{4}\/\d\d\/\d\d) (\d\d:\d\d:\d\d)$/.exec(text) ?? []
  return Date.parse(`${date?.replaceAll('/', '-')}T${time}Z`)
}

/** `"\001\002abc"`: text with octal escapes; or bytes `1:2:3`. In hexadecimal. */
function identifierOf(text: string): string {
  if (text === '') return ''
  const quotedText = /^"(.*)"$/.exec(text)?.[1]
  if (quotedText === undefined)
    return text
      .split(':')
      .map((octet) => octet.padStart(2, '0'))
      .join('')
      .toLowerCase()
  const bytes = quotedText.replace(/\\([0-7]{3}|.)/g, (_, escaped: string) =>
    escaped.length === 3 ? String.fromCharCode(Number.parseInt(escaped, 8)) : escaped,
  )
  return Buffer.from(bytes, 'latin1').toString('hex')
}
