import { defaultTtlSeconds } from '../dns/names.ts'
import type { Zone } from './zones.ts'

/** Refresh, retry, expire, and how long "there is no such name" may be believed. */
const soaTimes = `7200 1800 604800 ${defaultTtlSeconds}`

/** A zone as RFC 1035 section 5 writes it. `serial` must rise with each change: without that nobody reads it again. */
export function zoneFile({ apex, authority, records }: Zone, serial: number): string {
  return [
    `${apex}. ${defaultTtlSeconds} IN SOA ns.${authority}. hostmaster.${authority}. ${serial} ${soaTimes}`,
    `${apex}. ${defaultTtlSeconds} IN NS ns.${authority}.`,
    ...records.map(({ owner, type, data, ttlSeconds }) => `${owner}. ${ttlSeconds} IN ${type} ${data}`),
    '',
  ].join('\n')
}
