import type { DNSServer, DNSServerInput } from '../../api/dnsserver.ts'
import { kinds } from '../../api/kinds.ts'
import { apiVersion } from '../../api/meta.ts'
import { isAddress } from '../proxy/backend.ts'
import { failed, type Problem, type Result } from '../result.ts'
import type { BackendInput } from './backends.ts'
import { complete } from './complete.ts'
import { attachmentOf, childMetadata, type Scene, serverFields } from './scene.ts'

type Entry = NonNullable<DNSServerInput['spec']['staticEntries']>[number]

const field = 'spec.infraComponents.dns'

export function translateDns(scene: Scene, backends: readonly BackendInput[]): Result<DNSServer> {
  const { dns } = scene.infra.spec.infraComponents
  const { cidr, dnsServers } = scene.infra.spec.networkConfig
  const [proxyIP] = scene.proxyAddresses
  const [first, ...others] = scene.bindings
  // Asked for before; this is for the compiler.
  if (!dns || proxyIP === undefined || first === undefined) return failed()
  const apps = appsEntries(scene)
  const throughProxy = backends.filter(({ hostname }) => !apps.some((entry) => entry.hostname === hostname))
  const generated = [...proxyEntries(throughProxy, proxyIP), ...apps]
  const problems = clashes(scene, generated)
  if (problems.length > 0) return failed(...problems)
  const { enabled, serverIP, serverIPs, baseDomain, clusterName, staticEntries, ...tuning } = dns
  const input: DNSServerInput = {
    apiVersion,
    kind: 'DNSServer',
    metadata: childMetadata(scene.infra, 'dns'),
    spec: {
      networkConfig: {
        ...serverFields(scene.dnsAddresses),
        proxyIP,
        internalProxyIP: scene.internalProxy,
        secondaryNetworkCIDR: cidr,
        ...attachmentOf(scene.infra),
      },
      hostedClusterDomain: first.domain,
      ...(others.length === 0 ? {} : { additionalDomains: others.map(({ domain }) => domain) }),
      staticEntries: [...generated, ...added(staticEntries ?? [], generated)],
      upstreamDNS: dnsServers,
      ...tuning,
    },
  }
  return complete(kinds.DNSServer, input)
}

/**
 * Every name of a backend leads to the proxy, also one that the user added for a host elsewhere: that is what it is
 * for. In-cluster names are not asked for on the network, and the applications have an address of their own.
 */
function proxyEntries(backends: readonly BackendInput[], proxyIP: string): Entry[] {
  const names = backends
    .flatMap(({ hostname, alternateHostnames = [] }) => [hostname, ...alternateHostnames])
    .map((name) => name.toLowerCase())
  const asked = names.filter((name) => name.includes('.') && !isInClusterName(name) && !isAddress(name))
  return [...new Set(asked)].map((hostname) => ({ hostname, ip: proxyIP }))
}

function isInClusterName(name: string): boolean {
  return /\.(default|svc|cluster\.local)$/.test(name)
}

/** The VLAN goes to the ingress itself; the pod network, which cannot, goes through the proxy where that has an address. */
function appsEntries({ bindings, internalProxy = '', proxyRuns }: Scene): Entry[] {
  const throughProxy = proxyRuns && isAddress(internalProxy) ? { internalIP: internalProxy } : {}
  return bindings.flatMap(({ apps }) =>
    apps ? [{ hostname: `*.${apps.domain}`, ip: apps.address, ...throughProxy }] : [],
  )
}

/** Entries of the user, without those that say once more what is there. */
function added(entries: readonly Entry[], generated: readonly Entry[]): Entry[] {
  return entries.filter(({ hostname }) => !generated.some((entry) => entry.hostname === hostname.toLowerCase()))
}

/** Names of the control plane belong to it: neither an entry of the user nor the name of a machine takes one over. */
function clashes({ infra, bindings }: Scene, generated: readonly Entry[]): Problem[] {
  const { dhcp, dns } = infra.spec.infraComponents
  const ownerOf = new Map(generated.map(({ hostname, ip }) => [hostname, ip]))
  const entries = (dns?.staticEntries ?? []).flatMap(({ hostname, ip }, index): Problem[] => {
    const owner = ownerOf.get(hostname.toLowerCase())
    if (owner === undefined || owner === ip) return []
    return [nameTaken(`${field}.staticEntries[${index}].hostname`, hostname, owner)]
  })
  const machines = (dhcp?.reservations ?? []).flatMap(({ hostname, vmName }, index): Problem[] =>
    bindings.flatMap(({ domain }) => {
      const name = `${hostname ?? vmName}.${domain}`
      const owner = ownerOf.get(name)
      return owner === undefined ? [] : [nameTaken(`spec.infraComponents.dhcp.reservations[${index}]`, name, owner)]
    }),
  )
  return [...entries, ...machines]
}

function nameTaken(where: string, name: string, address: string): Problem {
  return {
    reason: 'NameTaken',
    field: where,
    message: `${name} leads to the control plane (${address}): choose another name`,
  }
}
