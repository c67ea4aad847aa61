/** The client's full name, option 81 (RFC 4702). */

const serverUpdates = 0b0001
const overridden = 0b0010
const wireFormat = 0b0100
const flagsLength = 3
/** Section 2.2: a server that answers sets both deprecated result codes to 255. */
const noResultCode = 255

/**
 * The answer to a client that sent option 81: the name it has here, whatever it asked for (section 4). Its address
 * record is this side's business (S), which overrides (O) a client that wanted to see to it itself.
 */
export function answerClientFqdn(asked: Buffer, name: string): Uint8Array | undefined {
  if (asked.length < flagsLength) return undefined
  const askedFlags = asked[0] ?? 0
  const asksServer = (askedFlags & serverUpdates) !== 0
  const isWireFormat = (askedFlags & wireFormat) !== 0
  const flags = serverUpdates | (asksServer ? 0 : overridden) | (isWireFormat ? wireFormat : 0)
  const encoded = isWireFormat ? dnsWireName(name) : Buffer.from(name, 'latin1')
  return Buffer.concat([Uint8Array.of(flags, noResultCode, noResultCode), encoded])
}

/** Labels with their lengths before them. A name of one label has no root label after it (section 2.3.1). */
function dnsWireName(name: string): Buffer {
  const labels = name.split('.')
  const parts = labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'))
  return Buffer.concat(labels.length > 1 ? [...parts, Uint8Array.of(0)] : parts)
}
