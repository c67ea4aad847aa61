import { formatIpv4 } from '../../core/net/ipv4.ts'
import { field, messageType, option } from '../../engines/dhcp/codec/numbers.ts'
import { readOptions, wanted } from '../../engines/dhcp/codec/options.ts'
import { describeDns } from './dns.ts'
import type { Frame } from './pcap.ts'

/** A request that was sent again, and whether it had been answered by then: if so, the answer came late to read it. */
export interface Repeat {
  readonly what: string
  readonly answered: boolean
  readonly afterMs: number
}

/** What a frame asks or answers, by a name that question and answer share. */
interface Half {
  readonly isAnswer: boolean
  readonly what: string
}

/** Who had to ask twice: DHCP, DNS, and the first packet of a TCP connection. Seen where the server's cable ends. Total. */
export function findRepeats(frames: readonly Frame[]): Repeat[] {
  const asked = new Map<string, { readonly epochMs: number; answered: boolean }>()
  const repeats: Repeat[] = []
  for (const { epochMs, bytes } of frames) {
    const half = halfOf(bytes)
    if (!half) continue
    const earlier = asked.get(half.what)
    if (half.isAnswer) {
      if (earlier) earlier.answered = true
    } else if (earlier) {
      repeats.push({ what: half.what, answered: earlier.answered, afterMs: Math.round(epochMs - earlier.epochMs) })
    } else asked.set(half.what, { epochMs, answered: false })
  }
  return repeats
}

function halfOf(frame: Buffer): Half | undefined {
  if (frame.length < 34 || frame.readUInt16BE(12) !== 0x0800) return undefined
  const headerLength = ((frame[14] ?? 0) & 15) * 4
  const payload = frame.subarray(14 + headerLength)
  const [source, destination] = [formatIpv4(frame.readUInt32BE(26)), formatIpv4(frame.readUInt32BE(30))]
  if (payload.length < 20) return undefined
  const [from, to] = [payload.readUInt16BE(0), payload.readUInt16BE(2)]
  if (frame[23] === 6) return tcpHalf(payload[13] ?? 0, `${source}:${from}`, `${destination}:${to}`)
  if (frame[23] !== 17) return undefined
  if (from === 67 || to === 67) return dhcpHalf(payload.subarray(8))
  if (to === 53) return { isAnswer: false, what: dnsQuestion(payload.subarray(8), `${source}:${from}`) }
  if (from === 53) return { isAnswer: true, what: dnsQuestion(payload.subarray(8), `${destination}:${to}`) }
  return undefined
}

function dnsQuestion(message: Buffer, asker: string): string {
  const [name = '', type = ''] = describeDns(message)?.split(/[ ?]/) ?? []
  return `DNS ${asker} ${message.readUInt16BE(0)} ${name} ${type}`
}

const [syn, synAndAcknowledge, reset] = [0x02, 0x12, 0x04]

function tcpHalf(flags: number, source: string, destination: string): Half | undefined {
  if (flags === syn) return { isAnswer: false, what: `TCP ${source} to ${destination}` }
  const isAnswer = (flags & synAndAcknowledge) === synAndAcknowledge || (flags & reset) !== 0
  return isAnswer ? { isAnswer, what: `TCP ${destination} to ${source}` } : undefined
}

const typeOnly = wanted([option.messageType])
const { discover, offer, request, ack, nak } = messageType

function dhcpHalf(data: Buffer): Half | undefined {
  if (data.length < field.options) return undefined
  const type = readOptions(data, typeOnly).get(option.messageType)?.[0] ?? 0
  const who = data.toString('hex', field.hardwareAddress, field.hardwareAddress + 6)
  const transaction = `${who} ${data.readUInt32BE(field.transactionId)}`
  if (type === discover || type === offer) return { isAnswer: type === offer, what: `DISCOVER ${transaction}` }
  if (type === request || type === ack || type === nak)
    return { isAnswer: type !== request, what: `REQUEST ${transaction}` }
  return undefined
}
