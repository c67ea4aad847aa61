import type { Cidr } from '../../../core/net/cidr.ts'
import type { Address } from './address.ts'

export type ViewName = 'vlan' | 'pod'

/** The addresses of a name that this server does not know (yet): it says so instead of saying something wrong. */
export const unknownAddresses = 'unknown'

/** One name and its addresses, which may differ between the views. */
export interface NameRecord {
  /** Canonical: lower case, no trailing dot; may start with `*.`. */
  readonly owner: string
  readonly vlan: readonly Address[]
  readonly pod: readonly Address[] | typeof unknownAddresses
  readonly ttlSeconds: number
}

/** Everything the two views are made from. */
export interface ZoneSource {
  /** Zones answered with authority; each names the server itself (`ns.<domain>`), the first also for what is in none of them. */
  readonly domains: readonly [string, ...string[]]
  /** The network whose addresses are answered backwards. */
  readonly vlan?: Cidr | undefined
  readonly nameServer: { readonly vlan: readonly Address[]; readonly pod: readonly Address[] }
  /** What the manifest names: it always wins. */
  readonly fixed: readonly NameRecord[]
  /** What was found out elsewhere, apart from machines: served where no fixed name has it already. */
  readonly found: readonly NameRecord[]
  /** Rises with each change. */
  readonly serial: number
}
