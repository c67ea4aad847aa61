import { cidrContains, cidrsOverlap, parseCidr } from '../net/cidr.ts'
import { parseIpv4 } from '../net/ipv4.ts'
import { isWithin } from '../net/name.ts'
import { isAddress } from '../proxy/backend.ts'
import type { Problem } from '../result.ts'
import { appsDomainOf } from './domains.ts'
import type { Discovery } from './endpoints.ts'
import type { HostedCluster } from './hostedcluster.ts'
import type { NodePool } from './nodepool.ts'

/** A hosted cluster and the VLAN its machines shall live on. */
export interface Plan {
  readonly cluster: HostedCluster
  readonly discovery: Discovery
  readonly vlan: { readonly cidr: string; readonly proxyAddresses: readonly string[] }
  /** Those of this cluster; undefined where they cannot be seen. */
  readonly nodePools: readonly NodePool[] | undefined
  readonly wantsApps: boolean
}

export interface Finding extends Problem {
  /** Machines can join all the same. */
  readonly isWarning: boolean
}

type Check = (plan: Plan) => Problem[]

/** Without these machines never join; most of it cannot be changed once the HostedCluster is made. */
const requirements: readonly Check[] = [platformIsKubeVirt, addressesReachTheVlan, baseDomainIsItsOwn, ingressIsEnabled]
const recommendations: readonly Check[] = [
  machinesAreOnTheVlanAlone,
  vlanIsDisjoint,
  vlanIsInMachineNetwork,
  appsAreApart,
]

/** Can this cluster work on this VLAN? Read top to bottom, each check is one sentence to the user. */
export function preflightFindings(plan: Plan): Finding[] {
  const judged = (checks: readonly Check[], isWarning: boolean): Finding[] =>
    checks.flatMap((check) => check(plan)).map((problem) => ({ ...problem, isWarning }))
  return [...judged(requirements, false), ...judged(recommendations, true)]
}

function platformIsKubeVirt({ cluster }: Plan): Problem[] {
  if (cluster.platform !== 'KubeVirt') {
    const message = `${nameOf(cluster)} is on the platform ${cluster.platform ?? 'that it does not name'}: only machines of KubeVirt are served`
    return [{ reason: 'PlatformUnsupported', message }]
  }
  if (!cluster.hasMachinesElsewhere) return []
  const message = `${nameOf(cluster)} has its machines in another cluster (platform.kubevirt.credentials): install oooi there, where the VLAN is`
  return [{ reason: 'PlatformUnsupported', message }]
}

/** A name can lead to the proxy; an address leads where it leads. */
function addressesReachTheVlan({ discovery, vlan }: Plan): Problem[] {
  const network = parseCidr(vlan.cidr)
  return discovery.endpoints.flatMap(({ name, hosts, port }): Problem[] =>
    hosts.filter(isAddress).flatMap((host): Problem[] => {
      const address = parseIpv4(host)
      const isInside = network !== undefined && address !== undefined && cidrContains(network, address)
      if (isInside || vlan.proxyAddresses.includes(host)) return []
      const message = `nodes are told to call ${name} at ${host}:${port}, which is not on the VLAN ${vlan.cidr} and which no DNS can turn elsewhere: publish it under a name (oooi plan-services prints how); spec.services cannot be changed later`
      return [{ reason: 'PublishedAddressUnreachable', message }]
    }),
  )
}

function baseDomainIsItsOwn({ cluster }: Plan): Problem[] {
  if (cluster.hasBaseDomainPassthrough) {
    const message = `${nameOf(cluster)} has baseDomainPassthrough: its applications would be sought at the router of the management cluster, which does not reach the VLAN; make it with a base domain`
    return [{ reason: 'BaseDomainUnusable', message }]
  }
  if (cluster.baseDomain !== undefined) return []
  return [
    { reason: 'BaseDomainUnusable', message: `${nameOf(cluster)} has no spec.dns.baseDomain: give one of its own` },
  ]
}

function ingressIsEnabled({ cluster, wantsApps }: Plan): Problem[] {
  if (!wantsApps || !cluster.disabledCapabilities.includes('Ingress')) return []
  const message = `${nameOf(cluster)} has the capability Ingress disabled, so there is no router: switch appsIngress off`
  return [{ reason: 'IngressDisabled', message }]
}

function machinesAreOnTheVlanAlone({ cluster, nodePools }: Plan): Problem[] {
  if (nodePools === undefined || nodePools.length === 0) return []
  const problems = nodePools.flatMap(({ name, networks, isOnPodNetwork }): Problem[] => {
    if (networks.length === 0) {
      const message = `NodePool ${name} has no additionalNetworks: its machines are not on the VLAN`
      return [{ reason: 'NodePoolNotOnVlan', message }]
    }
    if (!isOnPodNetwork) return []
    const message = `NodePool ${name} has its machines on the pod network too, which decides about their addresses: set attachDefaultNetwork to false`
    return [{ reason: 'NodePoolOnPodNetwork', message }]
  })
  return problems.length === 0
    ? []
    : problems.map((problem) => ({ ...problem, message: `${nameOf(cluster)}: ${problem.message}` }))
}

/** What HyperShift takes where the HostedCluster says nothing. */
const defaults = { cluster: '10.132.0.0/14', service: '172.31.0.0/16', nodeApi: '172.20.0.1' }

function vlanIsDisjoint({ cluster, vlan }: Plan): Problem[] {
  const network = parseCidr(vlan.cidr)
  if (!network) return []
  const others = {
    'cluster network': orDefault(cluster.clusterNetworks, defaults.cluster),
    'service network': orDefault(cluster.serviceNetworks, defaults.service),
  }
  const problems = Object.entries(others).flatMap(([what, cidrs]) =>
    cidrs.flatMap((text): Problem[] => {
      const other = parseCidr(text)
      return other && cidrsOverlap(network, other)
        ? [overlap(vlan.cidr, `the ${what} ${text} of ${nameOf(cluster)}`)]
        : []
    }),
  )
  const nodeApi = cluster.nodeApiAddress ?? defaults.nodeApi
  const address = parseIpv4(nodeApi)
  const isTaken = address !== undefined && cidrContains(network, address)
  return isTaken ? [...problems, overlap(vlan.cidr, `${nodeApi}, where each node has its API`)] : problems
}

export function overlap(vlan: string, other: string): Problem {
  return {
    reason: 'NetworksOverlap',
    message: `the VLAN ${vlan} overlaps ${other}: one of the two will not be reached`,
  }
}

function orDefault(given: readonly string[], otherwise: string): readonly string[] {
  return given.length > 0 ? given : [otherwise]
}

function vlanIsInMachineNetwork({ cluster, vlan }: Plan): Problem[] {
  const network = parseCidr(vlan.cidr)
  const machineNetworks = cluster.machineNetworks.flatMap((text) => parseCidr(text) ?? [])
  if (!network || machineNetworks.length === 0) return []
  const holds = machineNetworks.some(
    (cidr) => cidr.prefixLength <= network.prefixLength && cidrContains(cidr, network.network),
  )
  if (holds) return []
  const message = `the machineNetwork of ${nameOf(cluster)} (${cluster.machineNetworks.join(', ')}) does not hold the VLAN ${vlan.cidr}`
  return [{ reason: 'NetworksOverlap', message }]
}

/** Names of the control plane below the apps domain work as long as the exact name wins; others than we may not know that. */
function appsAreApart({ cluster, discovery }: Plan): Problem[] {
  const apps = appsDomainOf(cluster)
  if (apps === undefined) return []
  return discovery.endpoints.flatMap(({ name, hosts }) =>
    hosts
      .filter((host) => isWithin(host, apps))
      .map((host): Problem => {
        const message = `${host} (${name}) lies below ${apps}, where applications are: whoever does not know the exact name goes to the ingress`
        return { reason: 'NameInsideApps', message }
      }),
  )
}

function nameOf({ namespace, name }: HostedCluster): string {
  return `HostedCluster ${namespace}/${name}`
}
