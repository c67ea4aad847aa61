import type { DNSServer } from '../../api/dnsserver.ts'
import { serverAddressesOf } from '../../api/network.ts'
import { type Cidr, parseCidr } from '../../core/net/cidr.ts'
import { parseDuration } from '../../core/net/duration.ts'
import { isWithin, parseDnsName, parseHostnamePattern } from '../../core/net/name.ts'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'
import { parseUpstreamAddress, type UpstreamAddress } from './forward/upstream-address.ts'
import type { ViewChooser } from './server/view-chooser.ts'
import { type Address, parseAddress, parseAddresses } from './zone/address.ts'
import { defaultTtlSeconds } from './zone/authority.ts'
import type { MachineRecord } from './zone/machines.ts'
import type { NameRecord, unknownAddresses, ZoneSource } from './zone/records.ts'

/** Where the pod network reaches the proxy: addresses, or a name whose addresses have to be found. */
export type InternalProxy =
  | { readonly type: 'addresses'; readonly addresses: readonly Address[] }
  | { readonly type: 'name'; readonly name: string }

/** A DNSServer as the engine wants it: parsed, and sorted by who needs it. */
export interface DnsConfig {
  readonly generation: number
  readonly port: number
  readonly listeners: readonly { readonly address: string; readonly chooser: ViewChooser }[]
  readonly internalProxy: InternalProxy
  readonly machines: readonly MachineRecord[]
  readonly forwards: boolean
  readonly upstreams: readonly (UpstreamAddress | 'resolv.conf')[]
  readonly longestTtlSeconds: number
  readonly reloadMs: number
  /** Equal keys: the same names apart from machines. */
  readonly zoneKey: string
  /** The names apart from machines. `internalProxy`: what its name stands for at the moment, if it has one. */
  zoneSource(internalProxy: readonly Address[] | typeof unknownAddresses, serial: number): ZoneSource
}

export function readConfig(resource: DNSServer, podAddresses: readonly string[]): Result<DnsConfig> {
  const { spec, status } = resource
  const { networkConfig } = spec
  const vlan =
    networkConfig.secondaryNetworkCIDR === undefined ? undefined : parseCidr(networkConfig.secondaryNetworkCIDR)
  const serverAddresses = serverAddressesOf(networkConfig)
  const upstreams = readUpstreams(resource)
  const problems = [...(serverAddresses.length === 0 ? [noAddress(resource)] : []), ...upstreams.problems]
  if (problems.length > 0) return failed(...problems)

  const domains: [string, ...string[]] = [
    canonical(spec.hostedClusterDomain),
    ...(spec.additionalDomains ?? []).map(canonical),
  ]
  const { machines, others } = splitFound(status?.resolved?.records ?? [], domains)
  return ok({
    generation: resource.metadata.generation ?? 0,
    port: networkConfig.dnsPort,
    listeners: listenersOf(serverAddresses, podAddresses, vlan),
    internalProxy: internalProxyOf(resource, podAddresses),
    machines,
    forwards: spec.forwarding?.enabled ?? true,
    upstreams: upstreams.upstreams,
    longestTtlSeconds: Math.floor((parseDuration(spec.cacheTTL) ?? 0) / 1000),
    reloadMs: parseDuration(spec.reloadInterval) ?? 5000,
    zoneKey: JSON.stringify([networkConfig, domains, spec.staticEntries, others, podAddresses]),
    zoneSource: (internalProxy, serial) => ({
      domains,
      vlan,
      nameServer: { vlan: parseAddresses(serverAddresses), pod: parseAddresses(podAddresses.slice(0, 1)) },
      fixed: staticRecords(spec, internalProxy),
      found: others.flatMap(foundRecord),
      serial,
    }),
  })
}

/** Single names inside our zones are machines. Wildcards (of the apps ingress) and names elsewhere are set up like static entries. */
function splitFound(records: readonly MachineRecord[], domains: readonly string[]) {
  const machines: MachineRecord[] = []
  const others: MachineRecord[] = []
  for (const record of records) {
    const hostname = record.hostname.toLowerCase().replace(/\.$/, '')
    const isMachine = !hostname.startsWith('*.') && domains.some((domain) => isWithin(hostname, domain))
    if (isMachine) machines.push(record)
    else others.push(record)
  }
  return { machines, others }
}

/** One socket per address; an address that is on both sides has to look at where the client is. */
function listenersOf(serverAddresses: readonly string[], podAddresses: readonly string[], vlan: Cidr | undefined) {
  return [...new Set([...serverAddresses, ...podAddresses])].map((address) => {
    const isServer = serverAddresses.includes(address)
    const arrival = isServer && podAddresses.includes(address) ? 'both' : isServer ? 'vlan' : 'pod'
    return { address, chooser: { arrival, vlan } } as const
  })
}

/** What the manifest says; else what the operator found; else this host, where the proxy usually is too. */
function internalProxyOf({ spec, status }: DNSServer, podAddresses: readonly string[]): InternalProxy {
  const { internalProxyIP, proxyIP } = spec.networkConfig
  const given = internalProxyIP === undefined ? undefined : parseAddress(internalProxyIP)
  if (given !== undefined) return { type: 'addresses', addresses: [given] }
  const found = parseAddresses(status?.resolved?.internalProxyIPs ?? [])
  if (found.length > 0) return { type: 'addresses', addresses: found }
  if (internalProxyIP === undefined) return { type: 'addresses', addresses: parseAddresses(podAddresses.slice(0, 1)) }
  const name = canonical(internalProxyIP)
  const own = (spec.staticEntries ?? []).filter((entry) => canonical(entry.hostname) === name && entry.ip !== proxyIP)
  if (own.length > 0)
    return { type: 'addresses', addresses: parseAddresses(own.map((entry) => entry.internalIP ?? entry.ip)) }
  return { type: 'name', name }
}

function staticRecords(
  spec: DNSServer['spec'],
  internalProxy: readonly Address[] | typeof unknownAddresses,
): NameRecord[] {
  return (spec.staticEntries ?? []).flatMap(({ hostname, ip, internalIP, ttl }) => {
    const owner = parseHostnamePattern(hostname)
    const vlan = parseAddresses([ip])
    if (owner === undefined || vlan.length === 0) return []
    const isProxy = ip === spec.networkConfig.proxyIP
    const pod = internalIP === undefined ? (isProxy ? internalProxy : vlan) : parseAddresses([internalIP])
    return [{ owner, vlan, pod, ttlSeconds: ttl ?? defaultTtlSeconds }]
  })
}

function foundRecord({ hostname, addresses, internalAddresses }: MachineRecord): NameRecord[] {
  const owner = parseHostnamePattern(hostname)
  const vlan = parseAddresses(addresses)
  if (owner === undefined) return []
  const pod = internalAddresses === undefined ? vlan : parseAddresses(internalAddresses)
  return [{ owner, vlan, pod, ttlSeconds: defaultTtlSeconds }]
}

function readUpstreams({ metadata, spec }: DNSServer): {
  upstreams: (UpstreamAddress | 'resolv.conf')[]
  problems: Problem[]
} {
  const texts = spec.upstreamDNS?.length ? spec.upstreamDNS : ['resolv.conf']
  const parsed = texts.map((text) => (text === 'resolv.conf' ? text : parseUpstreamAddress(text)))
  const problems = texts.flatMap((text, index): Problem[] => {
    if (parsed[index] !== undefined) return []
    const isTls = text.startsWith('tls://')
    return [
      {
        reason: isTls ? 'NotYetSupported' : 'InvalidField',
        field: `spec.upstreamDNS[${index}]`,
        message: `DNSServer ${metadata.name}: upstream ${text} ${isTls ? 'is not yet supported' : 'is no address'}; give an address such as 10.0.0.53 or 10.0.0.53:5353, or resolv.conf.`,
      },
    ]
  })
  return { upstreams: parsed.filter((upstream) => upstream !== undefined), problems }
}

function noAddress({ metadata }: DNSServer): Problem {
  return {
    reason: 'InvalidField',
    field: 'spec.networkConfig.serverIP',
    message: `DNSServer ${metadata.name} has no address on the VLAN; give spec.networkConfig.serverIP.`,
  }
}

function canonical(name: string): string {
  return parseDnsName(name) ?? name.toLowerCase()
}
