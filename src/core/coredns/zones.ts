import type { DNSServer } from '../../api/dnsserver.ts'
import { serverAddressesOf } from '../../api/network.ts'
import {
  atInternalProxy,
  defaultTtlSeconds,
  domainsOf,
  foundNames,
  type GivenName,
  givenName,
  type InternalProxy,
  internalProxyOf,
  staticNames,
} from '../dns/names.ts'
import { reverseName, reverseZones } from '../dns/reverse.ts'
import { type Cidr, cidrContains, parseCidr } from '../net/cidr.ts'
import { parseIpv4 } from '../net/ipv4.ts'
import { isWithin, parseHostnamePattern } from '../net/name.ts'

export type View = 'vlan' | 'pod'

export interface ZoneRecord {
  readonly owner: string
  readonly type: 'A' | 'AAAA' | 'CNAME' | 'PTR'
  readonly data: string
  readonly ttlSeconds: number
}

export interface Zone {
  readonly apex: string
  /** Domain whose `ns.` and `hostmaster.` it names. */
  readonly authority: string
  readonly records: readonly ZoneRecord[]
}

/** A name as one view sees it. */
interface ViewedName {
  readonly owner: string
  /** Whichever view it is: reverse names are those of the VLAN. */
  readonly vlan: readonly string[]
  readonly addresses: readonly string[]
  /** Where its addresses are to be found, if it is a name of somebody else's. */
  readonly target?: string | undefined
  readonly ttlSeconds: number
}

/**
 * The zones of one view, so that a server of zone files answers as ours does. Two things a zone file cannot say: below
 * a single name of somebody else's domain there is nothing (ours forwards), and a target that is a name becomes a CNAME
 * (ours follows it and gives the addresses).
 */
export function zonesOf(server: DNSServer, view: View, podAddresses: readonly string[]): Zone[] {
  const domains = domainsOf(server)
  const { secondaryNetworkCIDR } = server.spec.networkConfig
  const vlan = secondaryNetworkCIDR === undefined ? undefined : parseCidr(secondaryNetworkCIDR)
  const apexes = [...new Set([...domains, ...(vlan === undefined ? [] : reverseZones(vlan))])]
  const { fixed, machines } = namesOf(server, view, podAddresses)
  const heard = [...fixed, ...machines.filter(({ owner }) => !isTaken(owner, fixed, apexes))]
  const records = [...heard.flatMap(recordsOf), ...(vlan === undefined ? [] : pointersOf(fixed, machines, vlan))]
  const elsewhere = heard.map(({ owner }) => owner).filter((owner) => !apexes.some((apex) => isWithin(owner, apex)))
  const all = [...apexes, ...new Set(elsewhere.map((owner) => owner.replace(/^\*\./, '')))]
  const homes = records.map((record) => ({ record, home: closest(record.owner, all) }))
  return all.map((apex) => ({
    apex,
    authority: domains.includes(apex) ? apex : domains[0],
    records: homes.filter(({ home }) => home === apex).map(({ record }) => record),
  }))
}

/** Fixed names as they are served, and machines. */
function namesOf(
  server: DNSServer,
  view: View,
  podAddresses: readonly string[],
): { fixed: ViewedName[]; machines: ViewedName[] } {
  const proxy = internalProxyOf(server, podAddresses)
  const see = (name: GivenName) => seenFrom(name, view, proxy)
  const given = staticNames(server)
  const nameServers = domainsOf(server)
    .map((domain) => `ns.${domain}`)
    .filter((owner) => !given.some((name) => name.owner === owner))
    .map((owner) => nameServer(owner, server, podAddresses))
  const first = merge([...given, ...nameServers].map(see))
  const { machines, others } = foundNames(server)
  const rest = merge(others.map(see)).filter(({ owner }) => !first.some((name) => name.owner === owner))
  const named = machines.flatMap((record) => {
    const owner = parseHostnamePattern(record.hostname)
    return owner === undefined ? [] : [see(givenName(owner, record))]
  })
  return { fixed: [...first, ...rest], machines: named }
}

function seenFrom({ owner, vlan, pod, ttlSeconds }: GivenName, view: View, proxy: InternalProxy): ViewedName {
  if (view === 'vlan') return { owner, vlan, addresses: vlan, ttlSeconds }
  if (pod !== atInternalProxy) return { owner, vlan, addresses: pod, ttlSeconds }
  if (proxy.type === 'name') return { owner, vlan, addresses: [], target: proxy.name, ttlSeconds }
  return { owner, vlan, addresses: proxy.addresses, ttlSeconds }
}

function nameServer(owner: string, { spec }: DNSServer, podAddresses: readonly string[]): GivenName {
  const vlan = serverAddressesOf(spec.networkConfig)
  return { owner, vlan, pod: podAddresses.slice(0, 1), ttlSeconds: defaultTtlSeconds }
}

/** Entries of one name are one set of records; the shortest TTL holds for all of them (RFC 2181 section 5.2). */
function merge(names: readonly ViewedName[]): ViewedName[] {
  const byOwner = new Map<string, ViewedName>()
  for (const name of names) {
    const present = byOwner.get(name.owner)
    byOwner.set(name.owner, present === undefined ? name : join(present, name))
  }
  return [...byOwner.values()]
}

function join(a: ViewedName, b: ViewedName): ViewedName {
  return {
    owner: a.owner,
    vlan: [...a.vlan, ...b.vlan],
    addresses: [...a.addresses, ...b.addresses],
    target: a.target ?? b.target,
    ttlSeconds: Math.min(a.ttlSeconds, b.ttlSeconds),
  }
}

/** Beside a CNAME there is nothing else (RFC 1034 section 3.6.2). */
function recordsOf({ owner, addresses, target, ttlSeconds }: ViewedName): ZoneRecord[] {
  if (target !== undefined) return [{ owner, type: 'CNAME', data: `${target}.`, ttlSeconds }]
  return [...new Set(addresses)].map((data) => ({ owner, type: data.includes(':') ? 'AAAA' : 'A', data, ttlSeconds }))
}

/** An address has one name: the first that claims it; machines come last, in the order of the alphabet. */
function pointersOf(fixed: readonly ViewedName[], machines: readonly ViewedName[], vlan: Cidr): ZoneRecord[] {
  const named = new Map<number, ZoneRecord>()
  const inOrder = [...fixed, ...[...machines].sort((a, b) => (a.owner < b.owner ? -1 : 1))]
  for (const { owner, vlan: addresses, ttlSeconds } of inOrder) {
    for (const number of owner.startsWith('*.') ? [] : addresses.map(parseIpv4)) {
      if (number === undefined || named.has(number) || !cidrContains(vlan, number)) continue
      named.set(number, { owner: reverseName(number), type: 'PTR', data: `${owner}.`, ttlSeconds })
    }
  }
  return [...named.values()]
}

/** Would a machine of this name go unheard: is it a fixed name, or below a wildcard (RFC 4592 section 3.3.1)? */
function isTaken(owner: string, fixed: readonly ViewedName[], apexes: readonly string[]): boolean {
  const owners = fixed.map((name) => name.owner)
  if (owners.includes(owner)) return true
  const exists = (name: string) => apexes.includes(name) || owners.some((other) => isWithin(other, name))
  const labels = owner.split('.')
  const above = labels.map((_label, index) => labels.slice(index + 1).join('.'))
  const encloser = above.find(exists)
  return encloser !== undefined && owners.includes(`*.${encloser}`)
}

/** The longest of these zones that the name is in. */
function closest(owner: string, apexes: readonly string[]): string {
  const around = apexes.filter((apex) => isWithin(owner, apex))
  return around.reduce((best, apex) => (apex.length > best.length ? apex : best), '')
}
