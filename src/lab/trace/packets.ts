import { formatIpv4 } from '../../core/net/ipv4.ts'
import { field, messageType, option } from '../../engines/dhcp/codec/numbers.ts'
import { readOptions, wanted } from '../../engines/dhcp/codec/options.ts'
import { ClientHelloReader } from '../../engines/proxy/hello/client-hello.ts'
import { describeDns } from './dns.ts'

/** One packet that tells something of a boot, in words. */
export interface Packet {
  /** As the machine sees it. */
  readonly direction: 'out' | 'in'
  readonly protocol: 'DHCP' | 'DNS' | 'TLS' | 'TCP' | 'ICMP' | 'TFTP' | 'HTTP'
  readonly text: string
}

/** What an Ethernet frame of the machine with this MAC tells; undefined for what tells nothing. Total. */
export function describeFrame(frame: Buffer, mac: string): Packet | undefined {
  // Ethernet, IPv4 without options that matter here, then the transport.
  if (frame.length < 34 || frame.readUInt16BE(12) !== 0x0800) return undefined
  const direction = macAt(frame, 6) === mac ? 'out' : 'in'
  const headerLength = ((frame[14] ?? 0) & 15) * 4
  const [source, destination] = [frame.readUInt32BE(26), frame.readUInt32BE(30)].map(formatIpv4)
  const payload = frame.subarray(14 + headerLength, 14 + frame.readUInt16BE(16))
  const ends = { direction, source: source ?? '', destination: destination ?? '' } as const
  const told = describeTransport(frame[23] ?? 0, payload, ends, mac)
  return told && { direction, ...told }
}

interface Ends {
  readonly direction: Packet['direction']
  readonly source: string
  readonly destination: string
}

type Told = Omit<Packet, 'direction'>

function describeTransport(protocol: number, payload: Buffer, ends: Ends, mac: string): Told | undefined {
  if (protocol === 1) return { protocol: 'ICMP', text: `from ${ends.source}, type ${payload[0]} code ${payload[1]}` }
  if (payload.length < 8) return undefined
  const [from, to] = [payload.readUInt16BE(0), payload.readUInt16BE(2)]
  if (protocol === 6) return describeTcp(payload, ends, from, to)
  if (protocol !== 17) return undefined
  const data = payload.subarray(8)
  if (from === 67 || to === 67 || to === 68) return describeDhcp(data, mac)
  if (from === 53 || to === 53) return described('DNS', describeDns(data))
  return described('TFTP', describeTftp(data, to, ends))
}

/** RFC 1350. Answers come from a port that nobody can know; an error is told by its shape. */
function describeTftp(data: Buffer, to: number, { direction, source, destination }: Ends): string | undefined {
  if (to === 69 && data[1] === 1) return `read ${cString(data.subarray(2))} of ${destination}`
  const isError = direction === 'in' && data.length > 4 && data.readUInt16BE(0) === 5 && data.at(-1) === 0
  return isError ? `${source} says: ${cString(data.subarray(4))}` : undefined
}

const dhcpNames = new Map(
  Object.entries(messageType).map(([name, number]): [number, string] => [number, name.toUpperCase()]),
)
/** What only firmware says of itself (RFC 4578 section 2, RFC 3004). */
const firmwareOption = { userClass: 77, architecture: 93 } as const
const architectures = new Map([
  [0, 'x86 with a BIOS'],
  [6, 'x86 with UEFI'],
  [7, 'x86-64 with UEFI'],
  [11, 'ARM64 with UEFI'],
  [16, 'x86-64 with UEFI, over HTTP'],
])
const dhcpOptions = wanted([
  option.messageType,
  option.hostname,
  option.bootServer,
  option.bootFile,
  firmwareOption.userClass,
  firmwareOption.architecture,
])

/** Replies to clients without an address go to all; those for others are not this machine's. */
function describeDhcp(data: Buffer, mac: string): Told | undefined {
  if (data.length < field.options || macAt(data, 28) !== mac) return undefined
  const options = readOptions(data, dhcpOptions)
  const name = dhcpNames.get(options.get(option.messageType)?.[0] ?? 0)
  if (name === undefined) return undefined
  const address = data.readUInt32BE(field.yourAddress)
  const parts = [
    name,
    ...(address ? [formatIpv4(address)] : []),
    ...texts(options.get(option.hostname), 'hostname'),
    ...texts(options.get(firmwareOption.userClass), 'from'),
    ...architectureOf(options.get(firmwareOption.architecture)),
    ...texts(options.get(option.bootServer), 'boot server (66)'),
    ...texts(options.get(option.bootFile), 'boot file (67)'),
  ]
  return { protocol: 'DHCP', text: parts.join(' ') }
}

function architectureOf(value: Buffer | undefined): string[] {
  if (!value || value.length < 2) return []
  const number = value.readUInt16BE(0)
  return [`architecture (93) ${number}${architectures.has(number) ? `, ${architectures.get(number)}` : ''}`]
}

function describeTcp(segment: Buffer, { direction, ...ends }: Ends, from: number, to: number): Told | undefined {
  if (segment.length < 20) return undefined
  const flags = segment[13] ?? 0
  // What a machine itself resets it does not want any more; only the other side's refusal tells something.
  if (flags & 4 && direction === 'in') return { protocol: 'TCP', text: `reset by ${ends.source}:${from}` }
  if (flags === 2) return { protocol: 'TCP', text: `connect to ${ends.destination}:${to}` }
  const data = segment.subarray(((segment[12] ?? 0) >> 4) * 4)
  const http = describeHttp(data)
  if (http !== undefined) {
    return {
      protocol: 'HTTP',
      text: direction === 'out' ? `${http} of ${ends.destination}` : `${http} from ${ends.source}`,
    }
  }
  if (data[0] !== 22 || data[5] !== 1) return undefined
  const verdict = new ClientHelloReader().push(data)
  if (!verdict || verdict.kind === 'fault') return undefined
  const name = verdict.kind === 'named' ? `for ${verdict.serverName}` : 'without a server name'
  return { protocol: 'TLS', text: `hello to ${ends.destination}:${to} ${name}` }
}

/** The first line of a request, or of an answer that refuses it. */
function describeHttp(data: Buffer): string | undefined {
  const start = data.toString('latin1', 0, 200)
  return /^(?:(?:GET|HEAD) [!-~]+(?= HTTP)|HTTP\/1\.\d [3-5]\d\d[ -~]*)/.exec(start)?.[0]
}

function described(protocol: Told['protocol'], text: string | undefined): Told | undefined {
  return text === undefined ? undefined : { protocol, text }
}

function texts(value: Buffer | undefined, label: string): string[] {
  return value ? [`${label} ${cString(value)}`] : []
}

function cString(bytes: Buffer): string {
  const end = bytes.indexOf(0)
  return bytes.toString('latin1', 0, end < 0 ? bytes.length : end).replace(/[^ -~]/g, '?')
}

function macAt(bytes: Buffer, at: number): string {
  return [...bytes.subarray(at, at + 6)].map((octet) => octet.toString(16).padStart(2, '0')).join(':')
}
