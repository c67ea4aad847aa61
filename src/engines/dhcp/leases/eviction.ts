import type { Lease } from './lease.ts'

/**
 * What a person makes of a lease who wants it gone. One in force ends as if its client had released it. Anything else,
 * a memory or an address that was set aside, is forgotten: set aside until now, it is gone with the next sweep.
 */
export function evicted(lease: Lease, nowMs: number): Omit<Lease, 'sequence'> {
  return { ...lease, state: lease.state === 'Active' ? 'Released' : 'Declined', expiresMs: nowMs }
}
