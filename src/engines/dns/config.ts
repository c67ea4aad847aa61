import type { DNSServer } from '../../api/dnsserver.ts'
import { serverAddressesOf } from '../../api/network.ts'
import {
  atInternalProxy,
  domainsOf,
  type FoundRecord,
  foundNames,
  type GivenName,
  type InternalProxy,
  internalProxyOf,
  staticNames,
} from '../../core/dns/names.ts'
import { type Cidr, parseCidr } from '../../core/net/cidr.ts'
import { parseDuration } from '../../core/net/duration.ts'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'
import { parseUpstream, type UpstreamAddress } from './forward/upstream-address.ts'
import type { ViewChooser } from './server/view-chooser.ts'
import { type Address, parseAddresses } from './zone/address.ts'
import type { NameRecord, unknownAddresses, ZoneSource } from './zone/records.ts'

/** A DNSServer as the engine wants it: parsed, and sorted by who needs it. */
export interface DnsConfig {
  readonly generation: number
  readonly port: number
  readonly listeners: readonly { readonly address: string; readonly chooser: ViewChooser }[]
  readonly internalProxy: InternalProxy
  readonly machines: readonly FoundRecord[]
  /** Names of the control plane, without wildcards. */
  readonly controlPlaneNames: readonly string[]
  readonly forwards: boolean
  readonly logsQueries: boolean
  readonly upstreams: readonly (UpstreamAddress | 'resolv.conf')[]
  readonly longestTtlSeconds: number
  readonly reloadMs: number
  /** Equal keys: the same names apart from machines. */
  readonly zoneKey: string
  /** The names apart from machines. `internalProxy`: what its name stands for at the moment, if it has one. */
  zoneSource(internalProxy: readonly Address[] | typeof unknownAddresses, serial: number): ZoneSource
}

export function readConfig(resource: DNSServer, podAddresses: readonly string[]): Result<DnsConfig> {
  const { spec } = resource
  const { networkConfig } = spec
  const vlan =
    networkConfig.secondaryNetworkCIDR === undefined ? undefined : parseCidr(networkConfig.secondaryNetworkCIDR)
  const serverAddresses = serverAddressesOf(networkConfig)
  const upstreams = readUpstreams(resource)
  const problems = [...(serverAddresses.length === 0 ? [noAddress(resource)] : []), ...upstreams.problems]
  if (problems.length > 0) return failed(...problems)

  const domains = domainsOf(resource)
  const fixed = staticNames(resource)
  const { machines, others } = foundNames(resource)
  return ok({
    generation: resource.metadata.generation ?? 0,
    port: networkConfig.dnsPort,
    listeners: listenersOf(serverAddresses, podAddresses, vlan),
    internalProxy: internalProxyOf(resource, podAddresses),
    machines,
    controlPlaneNames: fixed.map(({ owner }) => owner).filter((name) => !name.startsWith('*')),
    forwards: spec.forwarding?.enabled ?? true,
    logsQueries: spec.queryLog,
    upstreams: upstreams.upstreams,
    longestTtlSeconds: Math.floor((parseDuration(spec.cacheTTL) ?? 0) / 1000),
    reloadMs: parseDuration(spec.reloadInterval) ?? 5000,
    zoneKey: JSON.stringify([networkConfig, domains, fixed, others, podAddresses]),
    zoneSource: (internalProxy, serial) => ({
      domains,
      vlan,
      nameServer: { vlan: parseAddresses(serverAddresses), pod: parseAddresses(podAddresses.slice(0, 1)) },
      fixed: fixed.map((name) => nameRecord(name, internalProxy)),
      found: others.map((name) => nameRecord(name, internalProxy)),
      serial,
    }),
  })
}

/** One socket per address; an address that is on both sides has to look at where the client is. */
function listenersOf(serverAddresses: readonly string[], podAddresses: readonly string[], vlan: Cidr | undefined) {
  return [...new Set([...serverAddresses, ...podAddresses])].map((address) => {
    const isServer = serverAddresses.includes(address)
    const arrival = isServer && podAddresses.includes(address) ? 'both' : isServer ? 'vlan' : 'pod'
    return { address, chooser: { arrival, vlan } } as const
  })
}

function nameRecord(name: GivenName, internalProxy: NameRecord['pod']): NameRecord {
  const pod = name.pod === atInternalProxy ? internalProxy : parseAddresses(name.pod)
  return { owner: name.owner, vlan: parseAddresses(name.vlan), pod, ttlSeconds: name.ttlSeconds }
}

function readUpstreams({ metadata, spec }: DNSServer): {
  upstreams: (UpstreamAddress | 'resolv.conf')[]
  problems: Problem[]
} {
  const texts = spec.upstreamDNS?.length ? spec.upstreamDNS : ['resolv.conf']
  const parsed = texts.map((text) => (text === 'resolv.conf' ? text : parseUpstream(text)))
  const problems = texts.flatMap((text, index): Problem[] => {
    if (parsed[index] !== undefined) return []
    return [
      {
        reason: 'InvalidField',
        field: `spec.upstreamDNS[${index}]`,
        message: `DNSServer ${metadata.name}: upstream ${text} is no address; give an address such as 10.0.0.53 or 10.0.0.53:5353, tls://10.0.0.53#name, or resolv.conf.`,
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
