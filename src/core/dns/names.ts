import type { DNSServer } from '../../api/dnsserver.ts'
import { parseIpv4 } from '../net/ipv4.ts'
import { parseIpv6 } from '../net/ipv6.ts'
import { isWithin, parseDnsName, parseHostnamePattern } from '../net/name.ts'

/** How long an answer may be kept, unless the manifest says otherwise: a change is seen within this time. */
export const defaultTtlSeconds = 30

/** On the pod network: wherever the proxy is reached there. */
export const atInternalProxy = 'internal-proxy'

/** One name that a DNSServer gives, and its addresses in both views. */
export interface GivenName {
  /** Canonical; may start with `*.`. */
  readonly owner: string
  readonly vlan: readonly string[]
  readonly pod: readonly string[] | typeof atInternalProxy
  readonly ttlSeconds: number
}

/** A name that the operator found, as it stands in the status. */
export interface FoundRecord {
  readonly hostname: string
  readonly addresses: readonly string[]
  readonly internalAddresses?: readonly string[] | undefined
}

/** Where the pod network reaches the proxy: addresses, or a name whose addresses have to be found. */
export type InternalProxy =
  | { readonly type: 'addresses'; readonly addresses: readonly string[] }
  | { readonly type: 'name'; readonly name: string }

/** All zones, the first is the primary one. */
export function domainsOf({ spec }: Pick<DNSServer, 'spec'>): [string, ...string[]] {
  return [canonical(spec.hostedClusterDomain), ...(spec.additionalDomains ?? []).map(canonical)]
}

/** The entries of the manifest. One that leads to the proxy on the VLAN leads to the proxy on the pod network too. */
export function staticNames({ spec }: DNSServer): GivenName[] {
  return (spec.staticEntries ?? []).flatMap(({ hostname, ip, internalIP, ttl }) => {
    const owner = parseHostnamePattern(hostname)
    if (owner === undefined) return []
    const elsewhere = ip === spec.networkConfig.proxyIP ? atInternalProxy : [ip]
    const pod = internalIP === undefined ? elsewhere : [internalIP]
    return [{ owner, vlan: [ip], pod, ttlSeconds: ttl ?? defaultTtlSeconds }]
  })
}

/** What the manifest says; else what the operator found; else this host, where the proxy usually is too. */
export function internalProxyOf({ spec, status }: DNSServer, podAddresses: readonly string[]): InternalProxy {
  const { internalProxyIP, proxyIP } = spec.networkConfig
  if (internalProxyIP !== undefined && isAddress(internalProxyIP)) {
    return { type: 'addresses', addresses: [internalProxyIP] }
  }
  const found = status?.resolved?.internalProxyIPs ?? []
  if (found.length > 0) return { type: 'addresses', addresses: found }
  if (internalProxyIP === undefined) return { type: 'addresses', addresses: podAddresses.slice(0, 1) }
  const name = canonical(internalProxyIP)
  const own = (spec.staticEntries ?? []).filter((entry) => canonical(entry.hostname) === name && entry.ip !== proxyIP)
  if (own.length > 0) return { type: 'addresses', addresses: own.map((entry) => entry.internalIP ?? entry.ip) }
  return { type: 'name', name }
}

/**
 * What was found elsewhere. Single names inside our zones are machines; wildcards (of the apps ingress) and names
 * elsewhere are set up like static entries.
 */
export function foundNames(server: DNSServer): { machines: FoundRecord[]; others: GivenName[] } {
  const domains = domainsOf(server)
  const machines: FoundRecord[] = []
  const others: GivenName[] = []
  for (const record of server.status?.resolved?.records ?? []) {
    const owner = parseHostnamePattern(record.hostname)
    if (owner !== undefined && !owner.startsWith('*.') && domains.some((domain) => isWithin(owner, domain))) {
      machines.push(record)
    } else if (owner !== undefined) others.push(givenName(owner, record))
  }
  return { machines, others }
}

export function givenName(owner: string, { addresses, internalAddresses }: FoundRecord): GivenName {
  return { owner, vlan: addresses, pod: internalAddresses ?? addresses, ttlSeconds: defaultTtlSeconds }
}

function isAddress(text: string): boolean {
  return parseIpv4(text) !== undefined || parseIpv6(text) !== undefined
}

function canonical(name: string): string {
  return parseDnsName(name) ?? name.toLowerCase()
}
