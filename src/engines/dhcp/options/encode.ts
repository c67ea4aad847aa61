import type { Cidr } from '../../../core/net/cidr.ts'

/** How the values of options look on the wire. */

export function encodeAddresses(addresses: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * addresses.length)
  for (const [index, address] of addresses.entries()) bytes.writeUInt32BE(address, 4 * index)
  return bytes
}

/** Whole numbers of 1, 2 or 4 bytes each, the highest byte first; a negative one as its two's complement. */
export function encodeNumbers(values: readonly number[], bytesEach: 1 | 2 | 4): Buffer {
  const bytes = Buffer.alloc(bytesEach * values.length)
  const numberCount = 2 ** (8 * bytesEach)
  for (const [index, value] of values.entries()) {
    bytes.writeUIntBE((value + numberCount) % numberCount, bytesEach * index, bytesEach)
  }
  return bytes
}

export interface Route {
  readonly to: Cidr
  readonly via: number
}

/** Option 121 (RFC 3442): prefix length, as many octets of the network as that covers, router. */
export function encodeRoutes(routes: readonly Route[]): Buffer {
  return Buffer.concat(
    routes.flatMap(({ to, via }) => {
      const significantOctets = Math.ceil(to.prefixLength / 8)
      return [
        Uint8Array.of(to.prefixLength),
        encodeAddresses([to.network]).subarray(0, significantOctets),
        encodeAddresses([via]),
      ]
    }),
  )
}

const pointerMark = 0xc000
const highestPointer = 0x3fff

/**
 * Option 119 (RFC 3397): names in the wire format of DNS, one after the other. An ending that was there before is a
 * pointer to it, counted from the start of the option: clients take no more than some hundred bytes in all.
 */
export function encodeDomains(names: readonly string[]): Buffer {
  const endings = new Map<string, number>()
  const bytes: number[] = []
  for (const name of names) {
    const labels = name.replace(/\.$/, '').split('.')
    for (;;) {
      const ending = labels.join('.').toLowerCase()
      const seenAt = endings.get(ending)
      if (seenAt !== undefined) {
        bytes.push((pointerMark | seenAt) >>> 8, seenAt & 255)
        break
      }
      if (bytes.length <= highestPointer) endings.set(ending, bytes.length)
      const label = Buffer.from(labels.shift() ?? '', 'latin1')
      bytes.push(label.length, ...label)
      if (labels.length === 0) {
        bytes.push(0)
        break
      }
    }
  }
  return Buffer.from(bytes)
}
