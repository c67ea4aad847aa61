import type { DHCPServer, DHCPServerInput } from '../../api/dhcpserver.ts'
import { kinds } from '../../api/kinds.ts'
import { apiVersion } from '../../api/meta.ts'
import { parseCidr } from '../net/cidr.ts'
import { parseIpv4 } from '../net/ipv4.ts'
import { failed, type Problem, type Result } from '../result.ts'
import { fixedAddresses, reservedServers, serversInRange } from './addresses.ts'
import { complete } from './complete.ts'
import { attachmentOf, childMetadata, type Scene, serverFields } from './scene.ts'

export function translateDhcp(scene: Scene): Result<DHCPServer> {
  const { networkConfig, infraComponents } = scene.infra.spec
  const { dhcp } = infraComponents
  const network = parseCidr(networkConfig.cidr)
  // Asked for before; this is for the compiler.
  if (!dhcp || !network || dhcp.rangeStart === undefined || dhcp.rangeEnd === undefined) return failed()
  const dnsServers = resolversOf(scene)
  const isResolverKnown = dnsServers.length > 0 || dhcp.options?.some(({ code }) => code === 6)
  const problems = [...serversInRange(scene), ...reservedServers(scene), ...(isResolverKnown ? [] : [noResolver])]
  if (problems.length > 0) return failed(...problems)
  const { enabled, serverIP, serverIPs, rangeStart, rangeEnd, leaseTime, exclusions, clientOptions, ...tuning } = dhcp
  const input: DHCPServerInput = {
    apiVersion,
    kind: 'DHCPServer',
    metadata: childMetadata(scene.infra, 'dhcp'),
    spec: {
      networkConfig: {
        cidr: networkConfig.cidr,
        gateway: networkConfig.gateway,
        ...serverFields(scene.dhcpAddresses),
        dnsServers,
        ...attachmentOf(scene.infra),
      },
      leaseConfig: { rangeStart, rangeEnd, leaseTime },
      ...tuning,
      clientPolicy: dhcp.clientPolicy ?? (scene.bindings.some((binding) => binding.knowsItsMachines) ? 'Known' : 'Any'),
      clientOptions: { ...domainNameOf(scene), ...clientOptions },
      exclusions: [...new Set([...(exclusions ?? []), ...fixedAddresses(scene, network)])],
    },
  }
  return complete(kinds.DHCPServer, input)
}

/** What clients are told: our own DNS server, or without one the plain addresses among the upstreams. */
function resolversOf({ infra, dnsAddresses }: Scene): string[] {
  if (dnsAddresses.length > 0) return [...dnsAddresses]
  return (infra.spec.networkConfig.dnsServers ?? []).filter((entry) => parseIpv4(entry) !== undefined)
}

const noResolver: Problem = {
  reason: 'NoResolver',
  field: 'spec.networkConfig.dnsServers',
  message: 'must hold the address of a DNS server for the clients of DHCP, since infraComponents.dns is off',
}

/** Machines of one cluster belong to its domain; where several share the VLAN, no domain is everybody's. */
function domainNameOf({ infra, bindings }: Scene): { domainName?: string } {
  const [binding, ...others] = bindings
  const isGivenByNumber = infra.spec.infraComponents.dhcp?.options?.some(({ code }) => code === 15)
  return binding && others.length === 0 && !isGivenByNumber ? { domainName: binding.domain } : {}
}
