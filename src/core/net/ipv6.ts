import { parseIpv4 } from './ipv4.ts'

/** The 16 bytes of an IPv6 address as RFC 4291 section 2.2 writes it; no zone (`%eth0`), no brackets. */
export function parseIpv6(text: string): Uint8Array | undefined {
  const halves = text.split('::')
  if (halves.length > 2 || text.length > 45) return undefined
  const head = parseGroups(halves[0] ?? '', halves.length === 1)
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? '', true) : []
  if (!head || !tail) return undefined
  const missing = 8 - head.length - tail.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  const groups = [...head, ...Array.from({ length: missing }, () => 0), ...tail]
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255]))
}

/** Groups of up to four hexadecimal digits; the last two may be written as an IPv4 address. */
function parseGroups(text: string, mayEndInIpv4: boolean): number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [index, part] of parts.entries()) {
    const embedded = mayEndInIpv4 && index === parts.length - 1 ? parseIpv4(part) : undefined
    if (embedded !== undefined) groups.push(embedded >>> 16, embedded & 0xffff)
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16))
    else return undefined
  }
  return groups
}
