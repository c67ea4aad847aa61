/** What Linux knows of the machines around it: `/proc/net/arp`, which every user may read. */
export const neighbourTable = '/proc/net/arp'

const complete = 0x2

/** MAC addresses by IPv4 address, of those that answered. Total: what is no line of the table is passed over. */
export function readNeighbours(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const line of text.split('\n').slice(1)) {
    const [address = '', , flags = '', mac = ''] = line.split(/\s+/)
    if ((Number(flags) & complete) !== 0) found.set(address, mac)
  }
  return found
}
