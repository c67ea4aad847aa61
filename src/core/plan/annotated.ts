import type { InfraInput } from '../../api/infra.ts'
import type { InfraClusterAttachmentInput } from '../../api/infraclusterattachment.ts'
import { kinds } from '../../api/kinds.ts'
import { apiGroup, apiVersion } from '../../api/meta.ts'
import type { HostedCluster } from '../discover/hostedcluster.ts'
import { parseCidr } from '../net/cidr.ts'
import { formatIpv4, parseIpv4 } from '../net/ipv4.ts'
import { type AddressRange, formatRange, parseRange, rangesOverlap } from '../net/range.ts'
import { failed, ok, type Problem, type Result } from '../result.ts'
import {
  type AnnotationName,
  annotationNames,
  annotationProblem as invalid,
  mistakesIn,
} from './annotation-problems.ts'
import { chooseServers, type Layout, usualRange } from './free-addresses.ts'

type Annotations = Partial<Record<AnnotationName, string>>

/** What a HostedCluster asks for by its annotations; undefined if it asks for nothing. */
export type Asked =
  | { readonly kind: 'Infra'; readonly infra: InfraInput }
  | { readonly kind: 'InfraClusterAttachment'; readonly attachment: InfraClusterAttachmentInput }

/** What is known beside the HostedCluster itself. */
export interface Neighbourhood {
  /** Addresses of the three servers that its Infra has by now. */
  readonly current: Layout | undefined
  /** Addresses and ranges (`a-b`) that other Infras have on the same network. */
  takenOn(network: { readonly name: string; readonly namespace: string }): readonly string[]
}

/**
 * A HostedCluster that is annotated with a network becomes an Infra, one that names an Infra becomes attached to it. An
 * annotation that cannot be read is a problem, and nothing is made or changed.
 */
export function askedByAnnotations(cluster: HostedCluster, near: Neighbourhood): Result<Asked | undefined> {
  const given = annotationsOf(cluster)
  if (given.infra !== undefined) return attachmentFor(cluster, given)
  if (given.network === undefined && given.cidr === undefined) return ok(undefined)
  return infraFor(cluster, given, near)
}

function annotationsOf({ annotations }: HostedCluster): Annotations {
  return Object.fromEntries(
    annotationNames.flatMap((name) => {
      const value = annotations[`${apiGroup}/${name}`]?.trim()
      return value ? [[name, value]] : []
    }),
  )
}

function attachmentFor({ name, namespace }: HostedCluster, given: Annotations): Result<Asked> {
  const both = given.network ?? given.cidr
  if (both !== undefined)
    return failed(invalid('infra', 'must not be given beside network and cidr: an Infra has its own'))
  const spec = { infraRef: { name: given.infra ?? '' }, hostedClusterRef: { name, namespace } }
  const metadata = { name, namespace }
  const attachment: InfraClusterAttachmentInput = { apiVersion, kind: 'InfraClusterAttachment', metadata, spec }
  const mistakes = mistakesIn(kinds.InfraClusterAttachment, attachment)
  return mistakes.length > 0 ? failed(...mistakes) : ok({ kind: 'InfraClusterAttachment', attachment })
}

function infraFor({ name, namespace }: HostedCluster, given: Annotations, near: Neighbourhood): Result<Asked> {
  const network = parseNetwork(given.network, namespace)
  const cidr = parseCidr(given.cidr ?? '')
  const dnsServers = listOf(given['dns-servers'])
  const pool = parsePool(given['apps-pool'])
  const range = given['dhcp-range'] === undefined ? cidr && usualRange(cidr) : parseRange(given['dhcp-range'])
  const problems = [
    ...(network ? [] : [invalid('network', 'must name a NetworkAttachmentDefinition, as name or namespace/name')]),
    ...(cidr ? [] : [invalid('cidr', 'must be the network of the VLAN, such as 192.168.100.0/24')]),
    ...(given.gateway === undefined || parseIpv4(given.gateway) !== undefined
      ? []
      : [invalid('gateway', 'must be an IPv4 address')]),
    ...(range || !cidr ? [] : [invalid('dhcp-range', 'must be first-last, such as 192.168.100.100-192.168.100.200')]),
    ...(pool === undefined ? [invalid('apps-pool', 'must be the name of a MetalLB pool, or name:range')] : []),
  ]
  if (!network || !cidr || !range || pool === undefined || problems.length > 0) return failed(...problems)
  const others = near.takenOn(network)
  const lentTwice = sharedRange(range, others)
  if (lentTwice) return failed(lentTwice)
  const reserved = [given.gateway, ...dnsServers, pool.range, formatRange(range)]
  const taken = [...reserved.flatMap((text) => text ?? []), ...others]
  const servers = chooseServers(cidr, taken, near.current)
  if (!servers) return failed(invalid('cidr', `${given.cidr} has no three free addresses outside the DHCP range`))
  const infra: InfraInput = {
    apiVersion,
    kind: 'Infra',
    metadata: { name, namespace },
    spec: {
      networkConfig: {
        cidr: given.cidr ?? '',
        ...(given.gateway === undefined ? {} : { gateway: given.gateway }),
        ...(dnsServers.length > 0 ? { dnsServers } : {}),
        networkAttachmentDefinition: network.name,
        networkAttachmentNamespace: network.namespace,
      },
      hostedClusterRef: { name, namespace },
      infraComponents: {
        dhcp: {
          serverIP: servers.dhcp,
          rangeStart: formatIpv4(range.first),
          rangeEnd: formatIpv4(range.last),
          ...(pool.range === undefined ? {} : { exclusions: [pool.range] }),
        },
        dns: { serverIP: servers.dns },
        proxy: { serverIP: servers.proxy },
      },
      ...(pool.name === undefined ? {} : { appsIngress: appsIngress(pool.name, pool.range) }),
    },
  }
  const mistakes = mistakesIn(kinds.Infra, infra)
  return mistakes.length > 0 ? failed(...mistakes) : ok({ kind: 'Infra', infra })
}

/** Two DHCP servers that lend one address would give it to two machines. */
function sharedRange(range: AddressRange, others: readonly string[]): Problem | undefined {
  const rival = others.flatMap((text) => parseRange(text) ?? []).find((other) => rangesOverlap(range, other))
  if (!rival) return undefined
  const message = `${formatRange(range)} overlaps ${formatRange(rival)} of another Infra on the same network: give a range of its own, or attach the cluster to that Infra by the annotation ${apiGroup}/infra`
  return invalid('dhcp-range', message)
}

function appsIngress(addressPoolName: string, range: string | undefined) {
  return { enabled: true, metallb: { addressPoolName, ...(range ? { ipAddressPoolRange: range } : {}) } }
}

function parseNetwork(text: string | undefined, own: string): { name: string; namespace: string } | undefined {
  const [first = '', second, ...rest] = (text ?? '').split('/')
  if (first === '' || second === '' || rest.length > 0) return undefined
  return second === undefined ? { name: first, namespace: own } : { name: second, namespace: first }
}

/** `name`, or `name:first-last`; without the annotation there is none. */
function parsePool(text: string | undefined): { name?: string; range?: string } | undefined {
  if (text === undefined) return {}
  const [name = '', range, ...rest] = text.split(':').map((part) => part.trim())
  if (name === '' || rest.length > 0 || (range !== undefined && !parseRange(range))) return undefined
  return { name, ...(range === undefined ? {} : { range }) }
}

function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}
