import type { DHCPServer } from '../../api/dhcpserver.ts'
import { parseMac } from '../net/mac.ts'
import { isHostLabel } from '../net/name.ts'

type Client = NonNullable<NonNullable<NonNullable<DHCPServer['status']>['resolved']>['clients']>[number]

/** A VirtualMachineInstance as far as its network cards go. */
export interface MachineView {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly spec?:
    | { readonly domain?: { readonly devices?: { readonly interfaces?: readonly { readonly macAddress?: string }[] } } }
    | undefined
  readonly status?: { readonly interfaces?: readonly { readonly mac?: string }[] } | undefined
}

const mostClients = 4096
const clusterLabel = 'cluster.x-k8s.io/cluster-name'

/**
 * Every network card of every machine, whatever network it is on: which of them is on the VLAN shows when it asks. The
 * guest reports further cards of its own making; those that carry a machine's address twice count once.
 */
export function knownClients(machines: Iterable<MachineView>): Client[] {
  const clients = new Map<string, Client>()
  for (const { metadata, spec, status } of machines) {
    const asked = spec?.domain?.devices?.interfaces?.map(({ macAddress }) => macAddress) ?? []
    const seen = status?.interfaces?.map(({ mac }) => mac) ?? []
    const cluster = metadata.labels?.[clusterLabel]
    for (const text of [...asked, ...seen]) {
      const mac = parseMac(text ?? '')
      if (mac === undefined || clients.has(mac)) continue
      clients.set(mac, {
        mac,
        ...(isHostLabel(metadata.name) ? { name: metadata.name } : {}),
        ...(cluster === undefined ? {} : { cluster }),
      })
    }
  }
  const sorted = [...clients.values()].toSorted((one, other) => (one.mac < other.mac ? -1 : 1))
  return sorted.slice(0, mostClients)
}
