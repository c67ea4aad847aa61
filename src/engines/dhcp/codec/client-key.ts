const hexOctets = Array.from({ length: 256 }, (_, octet) => octet.toString(16).padStart(2, '0'))

/**
 * What a lease is keyed by: the MAC address, spelt as everywhere in oooi. The client identifier is only echoed: one
 * virtual machine changes it between firmware, initramfs and system, and must keep its address (RFC 2131 section 4.2
 * lets the server choose). A client with no hardware address (RFC 4390) is known by its identifier alone.
 */
export function clientKey(
  hardwareType: number,
  hardwareLength: number,
  hardwareAddress: Buffer,
  clientIdentifier: Buffer | undefined,
): string | undefined {
  let octets = ''
  let isZero = true
  for (let index = 0; index < hardwareLength; index++) {
    const octet = hardwareAddress[index] ?? 0
    if (octet !== 0) isZero = false
    octets += index === 0 ? hexOctets[octet] : `:${hexOctets[octet]}`
  }
  if (!isZero) return hardwareType === 1 ? octets : `${hardwareType}/${octets}`
  if (clientIdentifier !== undefined && clientIdentifier.length > 0) return `id/${clientIdentifier.toString('hex')}`
  return undefined
}
