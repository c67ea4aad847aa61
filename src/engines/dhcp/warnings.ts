import { formatIpv4 } from '../../core/net/ipv4.ts'
import type { Problem } from '../../core/result.ts'
import type { Misplaced } from './leases/bindings.ts'
import type { Lease } from './leases/lease.ts'

interface Observed {
  readonly title: string
  readonly misplaced: Misplaced
  /** Addresses that somebody without a lease was found on. */
  readonly inUse: readonly Lease[]
  readonly otherServers: readonly string[]
}

/** What a person should know though every client is served: it will matter later, or to somebody else. */
export function warningsOf({ title, misplaced, inUse, otherServers }: Observed): Problem[] {
  const warnings: Problem[] = []
  const { orphaned, outsideRange } = misplaced
  if (orphaned.length > 0) {
    warnings.push({
      reason: 'LeasesOrphaned',
      message: `${title}: ${clients(orphaned)} of others now, or of no served network, and must change at the next renewal: ${named(orphaned)}`,
      field: 'spec.leaseConfig',
    })
  }
  if (outsideRange.length > 0) {
    warnings.push({
      reason: 'LeasesOutsideRange',
      message: `${title}: ${clients(outsideRange)} outside the range, and may keep them: ${named(outsideRange)}; oooi leases evict ends one`,
      field: 'spec.leaseConfig',
    })
  }
  if (inUse.length > 0) {
    warnings.push({
      reason: 'AddressInUse',
      message: `${title}: somebody without a lease uses ${named(inUse)}: set aside; take them out of the range with spec.exclusions, or give those machines reservations`,
      field: 'spec.exclusions',
    })
  }
  if (otherServers.length > 0) {
    warnings.push({
      reason: 'RogueServerSeen',
      message: `${title}: clients take addresses from another DHCP server, ${otherServers.join(', ')}: switch it off, or set spec.authoritative to false if it belongs there`,
      field: 'spec.authoritative',
    })
  }
  return warnings
}

function clients(leases: readonly Lease[]): string {
  return leases.length === 1 ? '1 client holds an address' : `${leases.length} clients hold addresses`
}

const mostNamed = 5

function named(leases: readonly Lease[]): string {
  const names = leases
    .slice(0, mostNamed)
    .map(({ address, mac, hostname }) => `${formatIpv4(address)} (${hostname === '' ? mac : hostname})`)
  const further = leases.length - names.length
  return `${names.join(', ')}${further > 0 ? ` and ${further} more` : ''}`
}
