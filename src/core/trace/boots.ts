import type { Sighting } from './sightings.ts'

/** A machine that should boot on the VLAN. */
export interface KnownMachine {
  readonly name: string
  readonly macs: readonly string[]
  /** Since when it should be there; undefined if nobody knows. */
  readonly sinceMs?: number | undefined
}

export interface KnownLease {
  readonly address: string
  readonly mac: string
  readonly vmName?: string | undefined
  readonly hostname?: string | undefined
  readonly state: string
  readonly startMs: number | undefined
}

/** What is looked at: only what our own servers saw, and who is expected. */
export interface Sights {
  readonly machines: readonly KnownMachine[]
  readonly leases: readonly KnownLease[]
  readonly refusals: readonly { readonly mac: string; readonly reason: string }[]
  /** Undefined where the engine does not tell: then nobody is blamed for not having been seen there. */
  readonly dns: readonly Sighting[] | undefined
  readonly proxy: readonly Sighting[] | undefined
  /** Whoever has a lease is a machine that should boot, also one that nobody named: where there is no list of them. */
  readonly countsStrangers?: boolean
  /** Where the machines are sent for names and for the control plane. */
  readonly dnsAddress?: string | undefined
  readonly proxyAddress?: string | undefined
}

export const stages = ['NoAddress', 'Leased', 'Resolved', 'Connecting', 'Connected'] as const
export type Stage = (typeof stages)[number]

/** How far one machine came. */
export interface Boot {
  readonly name: string
  readonly mac: string | undefined
  readonly address: string | undefined
  readonly stage: Stage
  /** When that stage was reached, as far as it is known. */
  readonly sinceMs: number | undefined
  /** What to look at if it goes no further; empty for those that need no more. */
  readonly hint: string
}

/** The backends of the API server; whoever reached one of them has booted. */
const isApiServer = (backend: string): boolean => backend.includes('kube-apiserver')
/** Without it the API server cannot reach the node, though the node reaches the API server. */
const isWayBack = (backend: string): boolean => backend.includes('konnectivity')

/** Joins what DHCP, DNS and proxy saw into one line per machine, in the order of their names. */
export function traceBoots(sights: Sights): Boot[] {
  const active = sights.leases.filter(({ state }) => state === 'Active')
  const byMac = new Map(active.map((lease) => [lease.mac.toLowerCase(), lease]))
  const boots = sights.machines.map((machine) => {
    const lease = machine.macs.map((mac) => byMac.get(mac.toLowerCase())).find((found) => found !== undefined)
    return lease ? bootOf(machine.name, lease, sights) : withoutAddress(machine, sights)
  })
  const known = new Set(sights.machines.flatMap(({ macs }) => macs.map((mac) => mac.toLowerCase())))
  const others = active.filter(
    ({ mac, vmName }) => (sights.countsStrangers || vmName !== undefined) && !known.has(mac.toLowerCase()),
  )
  const unlisted = others.map((lease) => bootOf(lease.vmName ?? lease.hostname ?? lease.mac, lease, sights))
  return [...boots, ...unlisted].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

function withoutAddress({ name, macs, sinceMs }: KnownMachine, { refusals }: Sights): Boot {
  const refusal = refusals.find(({ mac }) => macs.includes(mac))
  const hint = refusal
    ? `it asked for an address and was refused (${refusal.reason}): oooi explain ${refusal.reason}`
    : 'it never asked for an address: does it run, and is its network card on this VLAN (the same NetworkAttachmentDefinition or bridge)?'
  return { name, mac: macs[0], address: undefined, stage: 'NoAddress', sinceMs, hint }
}

function bootOf(name: string, lease: KnownLease, sights: Sights): Boot {
  const { address, mac } = lease
  const asked = sights.dns?.find((sighting) => sighting.address === address)
  const came = sights.proxy?.find((sighting) => sighting.address === address)
  const boot = (stage: Stage, sinceMs: number | undefined, hint: string): Boot => {
    return { name, mac, address, stage, sinceMs, hint }
  }
  const isThere = came?.reached.some(isApiServer) ?? false
  const failing = came?.failing.find(({ name: backend }) => !isThere || isWayBack(backend))
  if (came && isThere && !failing) return boot('Connected', came.changedMs, '')
  if (failing && came) {
    const error = failing.error === '' ? '' : ` (${failing.error})`
    const hint = `it asks for ${failing.name}, which the proxy cannot reach${error}: does that service of the control plane run?`
    return boot('Connecting', came.changedMs, hint)
  }
  if (came && came.reached.length > 0) {
    const hint = `it reached ${came.reached.join(', ')} and never the API server: its own log (console) says what it does with what it got`
    return boot('Connecting', came.changedMs, hint)
  }
  if (asked && asked.reached.length > 0) {
    const hint = `it asked for ${asked.reached.slice(0, 3).join(', ')} and never came to the proxy${at(sights.proxyAddress)}: is that address reachable from the VLAN, and nobody else's?`
    return boot('Resolved', asked.changedMs, sights.proxy === undefined ? '' : hint)
  }
  const hint = `it has an address and never asked for a name of the control plane: does it use the DNS server${at(sights.dnsAddress)}, and does it boot an image for this cluster?`
  return boot('Leased', lease.startMs, sights.dns === undefined ? '' : hint)
}

function at(address: string | undefined): string {
  return address === undefined ? '' : ` ${address}`
}
