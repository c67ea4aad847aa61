import { field, option } from './numbers.ts'

/** Options by code, each whole: the parts of a split option are joined (RFC 3396). */
export type Options = ReadonlyMap<number, Buffer>

const overloadFile = 1
const overloadServerName = 2

/**
 * The options of a packet of at least 240 bytes that `isWanted` names. Total: an option that runs past the end of its
 * field, or a missing END, ends the field; what was read before it counts, as it does in Kea and dnsmasq.
 */
export function readOptions(packet: Buffer, isWanted: Uint8Array): Options {
  const found = new Map<number, Buffer>()
  const furtherParts: Part[] = []
  const read = (start: number, end: number) => readField(packet, start, end, isWanted, found, furtherParts)
  read(field.options, packet.length)
  // RFC 2132 section 9.3, RFC 3396 section 5: `file` before `sname`, and neither may overload again.
  const overload = found.get(option.overload)?.[0] ?? 0
  if (overload & overloadFile) read(field.bootFile, field.magicCookie)
  if (overload & overloadServerName) read(field.serverName, field.bootFile)
  if (furtherParts.length > 0) joinParts(found, furtherParts)
  return found
}

interface Part {
  readonly code: number
  readonly value: Buffer
}

function readField(
  packet: Buffer,
  start: number,
  end: number,
  isWanted: Uint8Array,
  found: Map<number, Buffer>,
  furtherParts: Part[],
): void {
  let at = start
  while (at < end) {
    const code = packet[at++]
    if (code === option.pad) continue
    if (code === option.end || code === undefined || at >= end) return
    const length = packet[at++] ?? 0
    if (at + length > end) return
    if (isWanted[code] === 1) {
      const value = packet.subarray(at, at + length)
      if (found.has(code)) furtherParts.push({ code, value })
      else found.set(code, value)
    }
    at += length
  }
}

/** Each option is joined once, so that a packet made of a thousand parts costs no more than its length. */
function joinParts(found: Map<number, Buffer>, furtherParts: readonly Part[]): void {
  for (const [code, parts] of Map.groupBy(furtherParts, (part) => part.code)) {
    const first = found.get(code)
    const rest = parts.map((part) => part.value)
    found.set(code, Buffer.concat(first === undefined ? rest : [first, ...rest]))
  }
}

export function wanted(codes: readonly number[]): Uint8Array {
  const table = new Uint8Array(256)
  for (const code of codes) table[code] = 1
  return table
}

/** An option of exactly four bytes; one of another length says nothing. */
export function number32(options: Options, code: number): number | undefined {
  const value = options.get(code)
  return value?.length === 4 ? value.readUInt32BE(0) : undefined
}

export function number16(options: Options, code: number): number | undefined {
  const value = options.get(code)
  return value?.length === 2 ? value.readUInt16BE(0) : undefined
}
