import { type Cidr, cidrContains, isHostAddress, parseCidr } from '../../core/net/cidr.ts'
import { parseIpv4 } from '../../core/net/ipv4.ts'
import { and, type Cel, field as celField, every, ipv4Number, lastNumber, missing, named, or } from '../cel.ts'
import { type Entry, eachRule } from './entries.ts'
import type { Rule } from './rule.ts'

/** The network that addresses are judged by. */
export interface NetworkFields {
  readonly cidr?: string | undefined
  readonly gateway?: string | undefined
}

interface Addresses<Value> {
  /** Starts the names of the rules. */
  readonly name: string
  readonly field: string
  readonly entries: (value: Value) => readonly Entry<string>[]
  readonly network: (value: Value) => NetworkFields
  /** What the field with the network is called. */
  readonly cidrField?: string
  readonly cel: AddressesCel
  readonly subject?: string
}

/** The same places as paths, for the API server. */
interface AddressesCel extends NetworkPaths {
  /** Where the texts are, e.g. `reservations[].address`. */
  readonly texts: readonly string[]
  /** The addresses in one of these texts; default: the text is one. */
  readonly addressesIn?: (text: Cel) => readonly Cel[]
  /** That a check holds for the addresses in a text that can be read. */
  readonly readable?: (text: Cel, check: (address: Cel) => Cel) => Cel
}

export interface NetworkPaths {
  readonly cidr: string
  readonly gateway?: string
  /** True where there is nothing to judge. */
  readonly unless?: Cel
  /** The part of the paths that is there if `unless` is not true. */
  readonly given?: string
}

const itself = (text: Cel): readonly Cel[] => [text]

function everyAddress({ texts, given = '', addressesIn = itself }: AddressesCel, check: (address: Cel) => Cel): Cel {
  return and(...texts.map((path) => every(path, (text) => and(...addressesIn(text).map(check)), 'entry', { given })))
}

function everyReadable(cel: AddressesCel, check: (address: Cel) => Cel): Cel {
  const { texts, given = '', readable } = cel
  if (!readable) return everyAddress(cel, (address) => or(`!isIP(${address})`, check(address)))
  return and(...texts.map((path) => every(path, (text) => readable(text, check), 'entry', { given })))
}

/** Most lists are not there, which is quickly seen; then nothing else has to be asked. */
function judged({ unless, given = '', texts, ...cel }: AddressesCel): AddressesCel {
  const [path = '', ...others] = texts.map((text) => text.split('[]')[0] ?? '')
  if (others.length > 0) return { ...cel, texts, given, ...(unless === undefined ? {} : { unless }) }
  return { ...cel, texts, unless: or(unless, missing(path, { given })), given: path }
}

/** Nothing to judge by, or a check in which `network` is the network. */
function inNetwork({ cidr }: NetworkPaths, check: Cel): Cel {
  const text = celField(cidr)
  const isOther = 'network.ip().family() != 4'
  return or(missing(cidr), `!isCIDR(${text})`, named('network', `cidr(${text})`, or(isOther, check)))
}

export function insideNetworkRule<Value>(addresses: Addresses<Value>): Rule<Value> {
  const { name, field, entries, network, cidrField = 'networkConfig.cidr', ...text } = addresses
  const cel = judged(addresses.cel)
  const inside = everyReadable(cel, (address) => `network.containsIP(${address})`)
  return eachRule({
    ...text,
    name: `${name}InsideNetwork`,
    field,
    message: `must lie inside ${cidrField}`,
    cel: or(cel.unless, inNetwork(cel, inside)),
    entries,
    isRight: (text, value) => judge(text, network(value).cidr, (address, cidr) => cidrContains(cidr, address)),
  })
}

/** An address that a machine on the network can have. */
export function hostAddressRules<Value>(addresses: Addresses<Value>): Rule<Value>[] {
  const { name, field, entries, network, cidrField = 'networkConfig.cidr', ...text } = addresses
  const cel = judged(addresses.cel)
  const isHostOrOutside = (address: number, cidr: Cidr) => !cidrContains(cidr, address) || isHostAddress(cidr, address)
  const cidrCel = celField(cel.cidr)
  // Networks of two and of one address have only hosts (RFC 3021); the last address of all others is odd.
  const hasOnlyHosts = 'network.prefixLength() > 30'
  const isFirst = (address: Cel) => `${cidrCel}.startsWith(${address} + '/')`
  const isLast = (address: Cel) =>
    `${address}.matches('[13579]$') && ${ipv4Number(address)} == ${lastNumber(cidrCel, 'network')}`
  const isHost = everyReadable(cel, (address) => `!${isFirst(address)} && !(${isLast(address)})`)
  return [
    insideNetworkRule(addresses),
    eachRule({
      ...text,
      name: `${name}NotNetworkOrBroadcast`,
      field,
      cel: or(cel.unless, inNetwork(cel, or(hasOnlyHosts, isHost))),
      message: `must be neither the first (network) nor the last (broadcast) address of ${cidrField}`,
      entries,
      isRight: (text, value) => judge(text, network(value).cidr, isHostOrOutside),
    }),
  ]
}

export function notGatewayRule<Value>(addresses: Addresses<Value>): Rule<Value> {
  const { name, field, entries, network, cidrField, ...text } = addresses
  const cel = judged(addresses.cel)
  const { gateway = 'gateway', unless } = cel
  return eachRule({
    ...text,
    name: `${name}NotGateway`,
    field,
    message: 'must differ from networkConfig.gateway',
    cel: or(
      unless,
      missing(gateway),
      everyAddress(cel, (address) => `${address} != ${celField(gateway)}`),
    ),
    entries,
    isRight: (text, value) => {
      const gateway = parseIpv4(network(value).gateway ?? '')
      return gateway === undefined || parseServerAddress(text) !== gateway
    },
  })
}

/** What cannot be read is not judged: it has been reported as such. */
function judge(text: string, cidrText: string | undefined, isRight: (address: number, cidr: Cidr) => boolean): boolean {
  const address = parseServerAddress(text)
  const cidr = parseCidr(cidrText ?? '')
  return address === undefined || cidr === undefined || isRight(address, cidr)
}

/** An address that may carry a prefix length. */
export function parseServerAddress(text: string | undefined): number | undefined {
  return parseIpv4(text?.split('/')[0] ?? '')
}

/** A single field as the one entry there is. */
export function single<Item>(field: string, item: Item | undefined): Entry<Item>[] {
  return item === undefined ? [] : [{ field, item }]
}
