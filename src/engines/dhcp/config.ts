import type { DHCPServer } from '../../api/dhcpserver.ts'
import { serverAddressesOf } from '../../api/network.ts'
import { broadcastOf, type Cidr, cidrContains, isHostAddress, parseCidr } from '../../core/net/cidr.ts'
import { parseDuration } from '../../core/net/duration.ts'
import { parseIpv4 } from '../../core/net/ipv4.ts'
import { type AddressRange, parseRange } from '../../core/net/range.ts'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'
import { readClients } from './clients.ts'
import { option } from './codec/numbers.ts'
import { type SharedOptions, serviceAddresses, sharedOptions } from './options/shared-options.ts'
import type { BootSource, DhcpSettings } from './protocol/settings.ts'

/** A /8; which addresses are free is kept in memory, one bit each. */
const largestPool = 2 ** 24
const usualProbeTimeoutMs = 500
/** Every host takes a packet of this size (RFC 791 section 3.1). */
const smallestMtu = 576
/** The field in the header has 128 bytes, of which the last is a zero. */
const longestBootFile = 127

/** A DHCPServer as the protocol wants it. The schema has judged it already; what it let through is still checked. */
export function readSettings(resource: DHCPServer): Result<DhcpSettings> {
  const { metadata, spec, status } = resource
  const { namespace, name, generation } = metadata
  const title = `DHCPServer ${namespace === undefined ? name : `${namespace}/${name}`}`
  const network = spec.networkConfig
  const [serverText, ...furtherServers] = serverAddressesOf(network)

  const problems: Problem[] = []
  const read = <Value>(field: string, text: string | undefined, expected: string, parse: Parser<Value>) => {
    const value = parse(text ?? '')
    if (value === undefined) problems.push(invalid(title, field, text, expected))
    return value
  }
  const cidr = read('spec.networkConfig.cidr', network.cidr, 'an IPv4 network', parseCidr)
  const inside = (text: string) => hostIn(cidr, parseIpv4(text))
  const server = read('spec.networkConfig.serverIP', serverText, 'an address for hosts inside cidr', inside)
  const within = (text: string) => addressIn(cidr, parseIpv4(text))
  const first = read('spec.leaseConfig.rangeStart', spec.leaseConfig.rangeStart, 'an address inside cidr', within)
  const last = read('spec.leaseConfig.rangeEnd', spec.leaseConfig.rangeEnd, 'an address inside cidr', within)
  const leaseMs = read('spec.leaseConfig.leaseTime', spec.leaseConfig.leaseTime, 'a duration', parseDuration)
  if (furtherServers.length > 0) problems.push(secondServer(title))
  if (cidr === undefined || server === undefined || first === undefined) return failed(...problems)
  if (last === undefined || leaseMs === undefined || problems.length > 0) return failed(...problems)
  if (first > last || last - first >= largestPool) {
    const expected = `rangeStart or at most ${largestPool - 1} above it`
    return failed(invalid(title, 'spec.leaseConfig.rangeEnd', spec.leaseConfig.rangeEnd, expected))
  }

  const addresses = (texts: readonly string[] | undefined) => (texts ?? []).flatMap((text) => parseIpv4(text) ?? [])
  const gateway = parseIpv4(network.gateway ?? '')
  const dnsServers = addresses(network.dnsServers)
  const optionInput = { title, cidr, gateway, dnsServers, clientOptions: spec.clientOptions, options: spec.options }
  const options = sharedOptions(optionInput)
  if (!options.ok) return options
  const infrastructure = new Set([
    server,
    ...(gateway === undefined ? [] : [gateway]),
    ...dnsServers,
    ...addresses(status?.resolved?.addressesInUse),
  ])
  const { clients, reservedFor } = readClients(spec.reservations ?? [], status?.resolved?.clients ?? [])
  const exclusions = (spec.exclusions ?? []).flatMap((text) => parseRange(text) ?? [])
  const taken = [...infrastructure, ...reservedFor.keys(), ...serviceAddresses(optionInput)]
  // On a /31 both are for hosts (RFC 3021).
  const ends = [cidr.network, broadcastOf(cidr)].filter((address) => !isHostAddress(cidr, address))
  const single = [...ends, ...taken].map(rangeOfOne)
  return ok({
    title,
    generation,
    cidr,
    serverAddress: server,
    pool: { range: { first, last }, holes: [...exclusions, ...single] },
    infrastructure,
    reservedFor,
    clients,
    servesUnknownClients: spec.clientPolicy === 'Any',
    authoritative: spec.authoritative,
    probeTimeoutMs: probeTimeoutMs(spec.probe),
    leaseSeconds: Math.max(1, Math.floor(leaseMs / 1000)),
    options: options.value,
    mtu: linkMtu(options.value),
    domainName: options.value.get(option.domainName)?.toString('latin1'),
    boot: bootOf(options.value),
  })
}

/** Left out, it is on, with the times of the schema. */
function probeTimeoutMs(probe: DHCPServer['spec']['probe']): number | undefined {
  return probe?.enabled === false ? undefined : (parseDuration(probe?.timeout ?? '') ?? usualProbeTimeoutMs)
}

function linkMtu(options: SharedOptions): number | undefined {
  const value = options.get(option.interfaceMtu)
  return value?.length === 2 ? Math.max(smallestMtu, value.readUInt16BE()) : undefined
}

/** The header says it too: that is all that old network cards read, and more than some loaders read of the options. */
function bootOf(options: SharedOptions): BootSource {
  const server = parseIpv4(options.get(option.bootServer)?.toString('latin1') ?? '')
  const file = options.get(option.bootFile)
  return { server: server ?? 0, file: file !== undefined && file.length <= longestBootFile ? file : undefined }
}

function rangeOfOne(address: number): AddressRange {
  return { first: address, last: address }
}

type Parser<Value> = (text: string) => Value | undefined

function hostIn(cidr: Cidr | undefined, address: number | undefined): number | undefined {
  return cidr && address !== undefined && isHostAddress(cidr, address) ? address : undefined
}

function addressIn(cidr: Cidr | undefined, address: number | undefined): number | undefined {
  return cidr && address !== undefined && cidrContains(cidr, address) ? address : undefined
}

function invalid(title: string, field: string, value: string | undefined, expected: string): Problem {
  const found = value === undefined ? 'is missing' : `is ${value}`
  return { reason: 'InvalidField', message: `${title}: ${field} ${found}; expected ${expected}`, field }
}

function secondServer(title: string): Problem {
  const field = 'spec.networkConfig.serverIPs'
  return { reason: 'NotYetSupported', message: `${title}: ${field} may have one address only, as yet`, field }
}
