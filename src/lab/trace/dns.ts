import { formatIpv4 } from '../../core/net/ipv4.ts'

const types = new Map([
  [1, 'A'],
  [28, 'AAAA'],
  [12, 'PTR'],
])
const codes = new Map([
  [0, 'no such record'],
  [2, 'SERVFAIL'],
  [3, 'no such name'],
  [5, 'refused'],
])

/** A query or an answer in words; undefined for anything odd. Total: it reads what came from a wire (RFC 1035 section 4.1). */
export function describeDns(message: Buffer): string | undefined {
  if (message.length < 17 || message.readUInt16BE(4) !== 1) return undefined
  const question = readName(message, 12)
  if (!question || question.end + 4 > message.length) return undefined
  const type = types.get(message.readUInt16BE(question.end))
  if (!type) return undefined
  const flags = message.readUInt16BE(2)
  if (!(flags & 0x8000)) return `${question.name} ${type}?`
  const addresses = readAddresses(message, question.end + 4, message.readUInt16BE(6))
  return `${question.name} ${type} is ${addresses.join(', ') || (codes.get(flags & 15) ?? `error ${flags & 15}`)}`
}

function readAddresses(message: Buffer, start: number, count: number): string[] {
  const addresses: string[] = []
  let at = start
  for (let answer = 0; answer < count; answer++) {
    const name = readName(message, at)
    if (!name || name.end + 10 > message.length) break
    const length = message.readUInt16BE(name.end + 8)
    const data = name.end + 10
    if (data + length > message.length) break
    if (message.readUInt16BE(name.end) === 1 && length === 4) addresses.push(formatIpv4(message.readUInt32BE(data)))
    at = data + length
  }
  return addresses
}

/** A compressed name ends at its pointer, which is followed by nobody here: only the place behind it matters. */
function readName(message: Buffer, start: number): { name: string; end: number } | undefined {
  const labels: string[] = []
  for (let at = start; at < message.length; ) {
    const length = message[at] ?? 0
    if (length === 0) return { name: labels.join('.').toLowerCase() || '.', end: at + 1 }
    if (length >= 0xc0) return { name: labels.join('.'), end: at + 2 }
    if (length > 63) return undefined
    labels.push(message.toString('latin1', at + 1, at + 1 + length).replace(/[^ -~]/g, '?'))
    at += 1 + length
  }
  return undefined
}
