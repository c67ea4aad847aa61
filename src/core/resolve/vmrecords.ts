/** A lease as far as DNS cares: whose it is and where it is. */
interface NamedLease {
  readonly address: string
  readonly vmName?: string | undefined
  /** What the machine was told to call itself. */
  readonly hostname?: string | undefined
  readonly cluster?: string | undefined
  readonly state: string
}

interface VmRecord {
  readonly hostname: string
  readonly addresses: string[]
}

/**
 * `<vm>.<domain of its cluster>` for every VM that holds a lease. Only names the platform gave (reservation, VMI) count; what a
 * client calls itself never becomes a record. A machine that is known by its MAC alone has the name its reservation gives it.
 */
export function vmRecords(leases: Iterable<NamedLease>, domainOf: (cluster: string | undefined) => string): VmRecord[] {
  const addressesOf = new Map<string, string[]>()
  for (const lease of leases) {
    const name = lease.vmName ?? lease.hostname
    if (name === undefined || lease.state !== 'Active') continue
    const hostname = `${name.toLowerCase()}.${domainOf(lease.cluster)}`
    addressesOf.set(hostname, [...(addressesOf.get(hostname) ?? []), lease.address])
  }
  return [...addressesOf].map(([hostname, addresses]) => ({ hostname, addresses }))
}
