/** IPv4 addresses as unsigned 32-bit numbers: comparing and counting them is then plain arithmetic. */

/**
 * Exactly four decimal octets. Shorthands (`10.1`), octal (`010.0.0.1`) and hexadecimal are refused: two programs that
 * read one address differently is how a filter is bypassed.
 */
export function parseIpv4(text: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (!match) return undefined
  let address = 0
  for (const octetText of match.slice(1)) {
    const octet = Number(octetText)
    if (octet > 255 || (octetText.length > 1 && octetText.startsWith('0'))) return undefined
    address = address * 256 + octet
  }
  return address
}

export function formatIpv4(address: number): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`
}

/** Addresses a packet can be sent to one host at: not this-network, loopback, link-local, multicast, reserved or broadcast. */
export function isUnicastIpv4(address: number): boolean {
  const firstOctet = address >>> 24
  const isLinkLocal = address >>> 16 === 0xa9fe
  return firstOctet >= 1 && firstOctet < 224 && firstOctet !== 127 && !isLinkLocal
}
