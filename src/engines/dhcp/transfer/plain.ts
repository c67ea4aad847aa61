import { type LeaseFormat, readLines } from './lease-file.ts'

/**
 * `02:00:00:00:00:01 192.168.100.20 2026-01-31T12:00:00Z`: the leases.txt of CoreDHCP, which the Go program is built on.
 * The time may also be seconds since 1970 and the separator a comma, as its database prints its table.
 */
export const plainFormat: LeaseFormat = {
  name: 'leases.txt',
  matches: (text) => /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}[\s,]+\d+(\.\d+){3}[\s,]/i.test(text.trimStart()),
  read: (text, nowMs) =>
    readLines(text, nowMs, (line) => {
      const [mac, address, end, ...rest] = line.trim().split(/[\s,]+/)
      if (mac === undefined || address === undefined || end === undefined || rest.length > 0) {
        return 'expected three fields: MAC, address and end'
      }
      return { mac, address, expiresMs: /^\d+$/.test(end) ? Number(end) * 1000 : Date.parse(end) }
    }),
}
