import type { DHCPServer } from '../../api/dhcpserver.ts'
import { parseMac } from '../net/mac.ts'
import { isHostLabel } from '../net/name.ts'
import { networksOf, type PodView } from '../status/pods.ts'

export type KnownClient = NonNullable<NonNullable<NonNullable<DHCPServer['status']>['resolved']>['clients']>[number]

/** A VirtualMachineInstance as far as its network cards go. */
export interface MachineView {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined }
  readonly spec?:
    | { readonly domain?: { readonly devices?: { readonly interfaces?: readonly { readonly macAddress?: string }[] } } }
    | undefined
  readonly status?: { readonly interfaces?: readonly { readonly mac?: string }[] } | undefined
}

/** The pod that runs a machine. */
export interface LauncherView {
  readonly metadata: PodView['metadata'] & {
    readonly namespace?: string | undefined
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[]
  }
}

/** A status has room for so many; whoever is told of more has to say so. */
export const mostClients = 4096

/**
 * Every network card of every machine, whatever network it is on: which of them is on the VLAN shows when it asks. The
 * guest reports further cards of its own making; those that carry a machine's address twice count once. A machine
 * belongs to the cluster in whose control-plane namespace it is.
 */
export function knownClients(machines: Iterable<MachineView>, launchers: Iterable<LauncherView> = []): KnownClient[] {
  const clients = new Map<string, KnownClient>()
  const add = (text: unknown, name: string, cluster: string | undefined): void => {
    const mac = typeof text === 'string' ? parseMac(text) : undefined
    if (mac === undefined || clients.has(mac)) return
    clients.set(mac, { mac, ...(isHostLabel(name) ? { name } : {}), ...(cluster === undefined ? {} : { cluster }) })
  }
  for (const { metadata, spec, status } of machines) {
    const asked = spec?.domain?.devices?.interfaces?.map(({ macAddress }) => macAddress) ?? []
    const seen = status?.interfaces?.map(({ mac }) => mac) ?? []
    for (const mac of [...asked, ...seen]) add(mac, metadata.name, metadata.namespace)
  }
  // Before the guest runs only Multus knows the address that a bridged card takes over from its pod.
  for (const { metadata } of launchers) {
    const machine = metadata.ownerReferences?.find(({ kind }) => kind === 'VirtualMachineInstance')?.name
    if (machine === undefined) continue
    for (const { mac } of networksOf({ metadata }) ?? []) add(mac, machine, metadata.namespace)
  }
  return [...clients.values()].toSorted((one, other) => (one.mac < other.mac ? -1 : 1))
}

/** A lease as far as it tells whose machine has an address. */
export interface LeaseView {
  readonly address: string
  readonly mac?: string | undefined
  readonly cluster?: string | undefined
  readonly state: string
}

/** The addresses that machines of one cluster have now. Whose a machine is may be known only after it got its lease. */
export function addressesOf(cluster: string, leases: Iterable<LeaseView>, clients: readonly KnownClient[]): string[] {
  const known = new Map(clients.map((client) => [client.mac, client.cluster]))
  const addresses = [...leases]
    .filter(({ state, mac = '', cluster: noted }) => state === 'Active' && (known.get(mac) ?? noted) === cluster)
    .map(({ address }) => address)
  return [...new Set(addresses)].toSorted().slice(0, mostClients)
}
