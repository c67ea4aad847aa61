import { type LeaseFormat, longestLeaseMs, readLines } from './lease-file.ts'

const ethernetPrefix = /^(01|06)-/

/** `1767225600 02:00:00:00:00:01 192.168.100.20 worker-1 01:02:00:00:00:00:01`; IPv6 follows after a line `duid …`. */
export const dnsmasqFormat: LeaseFormat = {
  name: 'dnsmasq',
  matches: (text) => /^(duid |\d+ \S+ [\d.]+ \S+ \S+)/.test(text.trimStart()),
  read: (text, nowMs) => {
    let isVersion6 = false
    return readLines(text, nowMs, (line) => {
      if (line.startsWith('duid ')) isVersion6 = true
      if (isVersion6) return undefined
      const [end = '', mac = '', address, hostname, identifier, ...rest] = line.trim().split(/\s+/)
      if (address === undefined || hostname === undefined || identifier === undefined || rest.length > 0) {
        return 'expected five fields: end, MAC, address, name and client identifier'
      }
      const endSeconds = /^\d+$/.test(end) ? Number(end) : Number.NaN
      return {
        mac: mac.replace(ethernetPrefix, ''),
        address,
        // dnsmasq writes 0 for a lease without an end.
        expiresMs: endSeconds === 0 ? nowMs + longestLeaseMs : endSeconds * 1000,
        hostname: hostname === '*' ? '' : hostname,
        clientId: identifier === '*' ? '' : identifier.replaceAll(':', '').toLowerCase(),
      }
    })
  },
}
