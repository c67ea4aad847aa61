/** Names in wire form: labels with a length byte each, a zero byte at the end (RFC 1035 section 3.1). */

export const maxNameLength = 255
const highestPointer = 0x3fff

/** The wire form of a canonical text name (lower case, no trailing dot); the empty text is the root. */
export function encodeName(text: string): Uint8Array {
  const wire = new Uint8Array(text === '' ? 1 : text.length + 2)
  let labelStart = 0
  for (let index = 0; index <= text.length && text !== ''; index++) {
    const code = index === text.length ? 46 : text.charCodeAt(index)
    if (code !== 46) wire[index + 1] = code
    else {
      wire[labelStart] = index - labelStart
      labelStart = index + 1
    }
  }
  return wire
}

/** Text for people: bytes that are not plain printable ASCII are written `\ddd` (RFC 1035 section 5.1). */
export function decodeName(wire: Uint8Array): string {
  const labels: string[] = []
  for (let at = 0; at < wire.length; ) {
    const length = wire[at] ?? 0
    if (length === 0) break
    labels.push(Array.from(wire.subarray(at + 1, at + 1 + length), printable).join(''))
    at += length + 1
  }
  return labels.join('.')
}

function printable(byte: number): string {
  const character = String.fromCharCode(byte)
  if (character === '.' || character === '\\') return `\\${character}`
  return byte > 32 && byte < 127 ? character : `\\${String(byte).padStart(3, '0')}`
}

/**
 * The offset behind a name that may end in a compression pointer, or -1 if it does not fit. The pointer is not
 * followed, so the work is bounded by the length of the name where it stands. It has to lead to somewhere before
 * `pointsBefore`: a name is only ever written in terms of earlier ones (RFC 1035 section 4.1.4), and so in no circle.
 */
export function skipName(bytes: Uint8Array, start: number, end: number, pointsBefore = highestPointer + 1): number {
  let at = start
  while (at < end && at - start < maxNameLength) {
    const length = bytes[at] ?? 0
    if (length === 0) return at + 1
    if (length >= 0xc0) {
      const target = ((length & 0x3f) << 8) | (bytes[at + 1] ?? 0)
      return at + 2 <= end && target < pointsBefore ? at + 2 : -1
    }
    if (length > 63) return -1
    at += length + 1
  }
  return -1
}

/** Upper case to lower case for one byte. Safe on length bytes too: they are below the letters. */
export function foldCase(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte + 32 : byte
}
