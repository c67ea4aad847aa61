import { parseIpv4 } from '../../core/net/ipv4.ts'
import { parseMac } from '../../core/net/mac.ts'
import { and, type Cel, field as celField, eachTwo, every, ipv4Number, missing, or, rangeEnds } from '../cel.ts'
import type { DHCPServer } from '../dhcpserver.ts'
import {
  hostAddressRules,
  insideNetworkRule,
  type NetworkFields,
  type NetworkPaths,
  notGatewayRule,
  single,
} from './addresses.ts'
import { distinctRule, type Entry, eachRule, entriesOf } from './entries.ts'
import type { Loose, Rule } from './rule.ts'

type Spec = Loose<DHCPServer['spec']>
type Reservation = Loose<NonNullable<DHCPServer['spec']['reservations']>[number]>

/** What a DHCPServer and the DHCP part of an Infra have in common, whatever the fields around them are called. */
export interface DhcpView extends NetworkFields {
  readonly rangeStart?: string | undefined
  readonly rangeEnd?: string | undefined
  readonly tuning?: Pick<Spec, 'reservations' | 'exclusions' | 'clientOptions' | 'options'> | undefined
}

interface DhcpPlaces<Value> {
  /** Where the range is, and where the other fields are, as prefixes: empty, or ending in a dot. */
  readonly rangePrefix: string
  readonly prefix: string
  /** Empty where there is nothing to judge. */
  readonly view: (value: Value) => DhcpView
}

interface DhcpInNetwork<Value> extends DhcpPlaces<Value> {
  readonly network: NetworkPaths
}

/** About DHCP and the network it is for. */
export function dhcpNetworkRules<Value>({ rangePrefix, prefix, view, network }: DhcpInNetwork<Value>): Rule<Value>[] {
  const reservationsField = `${prefix}reservations`
  const reservations = (value: Value) => entriesOf(reservationsField, view(value).tuning?.reservations)
  const reservedAddresses = {
    name: 'reservation',
    field: reservationsField,
    entries: (value: Value) => reservations(value).flatMap((entry) => keyOf(entry, 'address')),
    network: view,
    cel: { ...network, texts: [`${reservationsField}[].address`] },
    subject: 'an address',
  }
  return [
    ...(['rangeStart', 'rangeEnd'] as const).map((end) =>
      insideNetworkRule<Value>({
        name: end,
        field: `${rangePrefix}${end}`,
        entries: (value) => single(`${rangePrefix}${end}`, view(value)[end]),
        network: view,
        cel: { ...network, texts: [`${rangePrefix}${end}`] },
      }),
    ),
    ...hostAddressRules(reservedAddresses),
    notGatewayRule(reservedAddresses),
    insideNetworkRule<Value>({
      name: 'exclusion',
      field: `${prefix}exclusions`,
      entries: (value) =>
        entriesOf(`${prefix}exclusions`, view(value).tuning?.exclusions).flatMap(({ field, item }) =>
          item.split('-').map((end) => ({ field, item: end.trim() })),
        ),
      network: view,
      cel: { ...network, texts: [`${prefix}exclusions[]`], addressesIn: rangeEnds },
      subject: 'each',
    }),
    insideNetworkRule<Value>({
      name: 'router',
      field: `${prefix}clientOptions.routes`,
      entries: (value) =>
        entriesOf(`${prefix}clientOptions.routes`, view(value).tuning?.clientOptions?.routes).flatMap(
          ({ field, item }) => single(`${field}.via`, item.via),
        ),
      network: view,
      cel: { ...network, texts: [`${prefix}clientOptions.routes[].via`] },
      subject: 'each via',
    }),
  ]
}

interface DhcpAlone<Value> extends DhcpPlaces<Value> {
  /** In CEL: true where there is nothing to judge. */
  readonly unless?: Cel
}

/** About DHCP alone, whatever the network. */
export function dhcpRules<Value>({ rangePrefix, prefix, view, unless }: DhcpAlone<Value>): Rule<Value>[] {
  const options = celField(`${prefix}options`)
  const reservationsField = `${prefix}reservations`
  const reservations = (value: Value) => entriesOf(reservationsField, view(value).tuning?.reservations)
  return [
    {
      name: 'rangeOrdered',
      field: `${rangePrefix}rangeEnd`,
      message: 'must not be below rangeStart',
      cel: or(
        unless,
        ...['rangeStart', 'rangeEnd'].flatMap((end) => [
          missing(`${rangePrefix}${end}`),
          `!isIP(${celField(`${rangePrefix}${end}`)})`,
        ]),
        ['rangeStart', 'rangeEnd'].map((end) => ipv4Number(celField(`${rangePrefix}${end}`))).join(' <= '),
      ),
      check: (value) => isRangeOrdered(view(value)),
    },
    eachRule<Value, Reservation>({
      name: 'reservationNamesAClient',
      field: reservationsField,
      message: 'need mac or vmName: whose reservation it is',
      cel: or(
        unless,
        every(`${reservationsField}[]`, (entry) => `has(${entry}.mac) || has(${entry}.vmName)`),
      ),
      entries: reservations,
      isRight: ({ mac, vmName }) => mac !== undefined || vmName !== undefined,
    }),
    ...(['mac', 'vmName', 'address', 'hostname'] as const).map((key) =>
      distinctRule<Value>({
        name: `${key}ReservedOnce`,
        field: reservationsField,
        message: 'is reserved twice',
        subject: key === 'address' ? 'an address' : `a ${key}`,
        cel: or(
          unless,
          missing(reservationsField),
          eachTwo(celField(reservationsField), (one, other) =>
            or(`!has(${one}.${key})`, `!has(${other}.${key})`, `${spelling(key, one)} != ${spelling(key, other)}`),
          ),
        ),
        keys: (value) => reservations(value).flatMap((entry) => keyOf(entry, key)),
      }),
    ),
    distinctRule<Value>({
      name: 'optionsDistinct',
      field: `${prefix}options`,
      message: 'is there twice, here or by its name in clientOptions',
      subject: 'a code',
      cel: or(
        unless,
        missing(`${prefix}options`),
        and(
          `${options}.all(one, ${options}.exists_one(other, other.code == one.code))`,
          or(missing(`${prefix}clientOptions`), and(...namedCodes(prefix))),
        ),
      ),
      keys: (value) => optionCodes(prefix, view(value).tuning),
    }),
  ]
}

function isRangeOrdered({ rangeStart, rangeEnd }: DhcpView): boolean {
  const [start, end] = [parseIpv4(rangeStart ?? ''), parseIpv4(rangeEnd ?? '')]
  return start === undefined || end === undefined || start <= end
}

/** MAC addresses have several spellings; every other text has one. */
function keyOf({ field, item }: Entry<Reservation>, key: keyof Reservation): Entry<string>[] {
  const text = item[key]
  return text === undefined ? [] : [{ field: `${field}.${key}`, item: parseMac(text) ?? text }]
}

/** The same for the API server. */
function spelling(key: keyof Reservation, entry: string): string {
  return key === 'mac' ? `${entry}.mac.lowerAscii().replace('-', ':')` : `${entry}.${key}`
}

const codesByName = {
  mtu: [26],
  domainName: [15],
  searchDomains: [119],
  ntpServers: [42],
  routes: [121],
  boot: [66, 67],
}

/** That no code by number is one that a name stands for. */
function namedCodes(prefix: string): string[] {
  return Object.entries(codesByName).map(([name, codes]) => {
    const isFree = `!(option.code in [${codes.join(', ')}])`
    return or(
      `!has(${celField(`${prefix}clientOptions.${name}`)})`,
      `${celField(`${prefix}options`)}.all(option, ${isFree})`,
    )
  })
}

/** Codes given by name come first, so that the one at fault is the one given by number. */
function optionCodes(prefix: string, tuning: DhcpView['tuning']): Entry<number>[] {
  const named = Object.entries(codesByName).flatMap(([name, codes]) =>
    name in (tuning?.clientOptions ?? {})
      ? codes.map((code) => ({ field: `${prefix}clientOptions.${name}`, item: code }))
      : [],
  )
  const numbered = entriesOf(`${prefix}options`, tuning?.options)
  return [...named, ...numbered.flatMap(({ field, item }) => single(`${field}.code`, item.code))]
}
