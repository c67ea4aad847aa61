import { type LeaseFormat, readLines } from './lease-file.ts'

const neededColumns = ['address', 'hwaddr', 'valid_lifetime', 'expire'] as const
const states = ['Active', 'Declined', 'Expired', 'Released'] as const
const infiniteLifetime = 0xffffffff

/** The memfile of kea-dhcp4: columns by name in the first line; a lease of no length is one that was deleted. */
export const keaFormat: LeaseFormat = {
  name: 'Kea',
  matches: (text) => /^address,hwaddr,client_id,/.test(text.trimStart()),
  read: (text, nowMs) => {
    let columns: readonly string[] = []
    return readLines(text, nowMs, (line) => {
      if (columns.length === 0) {
        columns = line.split(',')
        const missing = neededColumns.filter((name) => !columns.includes(name))
        return missing.length === 0 ? undefined : `the column ${missing[0]} is missing`
      }
      const values = line.split(',')
      const value = (name: string) => values[columns.indexOf(name)] ?? ''
      const lifetimeSeconds = wholeNumber(value('valid_lifetime'))
      const state = states[wholeNumber(value('state') || '0')]
      const expiresMs = wholeNumber(value('expire')) * 1000
      if (Number.isNaN(lifetimeSeconds)) return 'valid_lifetime is not a number'
      if (state === undefined) return `state ${value('state')} is not known`
      const isOver = lifetimeSeconds === 0
      return {
        address: value('address'),
        // A declined lease has no client in Kea; here it has to have somebody's.
        mac: value('hwaddr') === '' && state === 'Declined' ? '00:00:00:00:00:00' : value('hwaddr'),
        expiresMs,
        startMs: lifetimeSeconds === infiniteLifetime ? undefined : expiresMs - lifetimeSeconds * 1000,
        hostname: unescaped(value('hostname')).replace(/\.$/, ''),
        clientId: value('client_id').replaceAll(':', '').toLowerCase(),
        state: isOver ? 'Released' : state,
      }
    })
  },
}

function wholeNumber(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN
}

/** Kea writes what would be a separator as `&#x2c`. */
function unescaped(text: string): string {
  return text.replaceAll('&#x2c', ',')
}
