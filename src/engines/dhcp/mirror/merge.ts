import type { Lease } from '../leases/lease.ts'
import { LeaseTable } from '../leases/lease-table.ts'

export interface MergedLeases {
  /** In the order of their sequence numbers. */
  readonly leases: readonly Lease[]
  /** Leases that lost against one of the same client at another address, so nobody has them any more. */
  readonly lost: readonly Lease[]
}

/**
 * Two stories about the same addresses become one: the higher sequence number is true, for an address and for a
 * client alike. Of equals the journal's, which also knows of leases that merely ran out.
 */
export function mergeLeases(journal: readonly Lease[], mirrored: readonly Lease[]): MergedLeases {
  const table = new LeaseTable()
  const lost = new Map<number, Lease>()
  for (const lease of [...mirrored, ...journal].toSorted(bySequence)) {
    for (const displaced of table.put(lease)) lost.set(displaced.address, displaced)
    lost.delete(lease.address)
  }
  return { leases: table.all().toSorted(bySequence), lost: [...lost.values()] }
}

function bySequence(one: Lease, other: Lease): number {
  return one.sequence - other.sequence
}
