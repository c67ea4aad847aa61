import type { Lease } from '../kube/kinds.ts'
import type { ObjectRef } from '../kube/object.ts'
import { microTimestamp } from '../time/timestamp.ts'

/** What a candidate last saw in the Lease, and when by its own clock: the clocks of others are not to be trusted. */
export interface Sighting {
  readonly lease: Lease
  readonly seenAtMs: number
}

/** A sighting of the same record keeps the time at which it was first seen. */
export function sight(before: Sighting | undefined, lease: Lease, elapsedMs: number): Sighting {
  const isSame = before !== undefined && before.lease.metadata.resourceVersion === lease.metadata.resourceVersion
  return isSame ? before : { lease, seenAtMs: elapsedMs }
}

/** May this candidate take the Lease: it is its own, nobody's, or has not been renewed for as long as it promised. */
export function mayTake({ lease, seenAtMs }: Sighting, identity: string, elapsedMs: number): boolean {
  const { holderIdentity, leaseDurationSeconds } = lease.spec ?? {}
  if (!holderIdentity || holderIdentity === identity) return true
  return elapsedMs - seenAtMs >= (leaseDurationSeconds ?? 0) * 1000
}

export function newLease(ref: ObjectRef, identity: string, leaseSeconds: number, nowMs: number): Lease {
  const metadata = { name: ref.name, ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }) }
  const empty: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata }
  return taken(empty, identity, leaseSeconds, nowMs)
}

/** The Lease as this holder writes it, to take it or to renew it. */
export function taken(lease: Lease, identity: string, leaseSeconds: number, nowMs: number): Lease {
  const { spec = {} } = lease
  const isMine = spec.holderIdentity === identity
  return {
    ...lease,
    spec: {
      ...spec,
      holderIdentity: identity,
      leaseDurationSeconds: leaseSeconds,
      renewTime: microTimestamp(nowMs),
      acquireTime: isMine && spec.acquireTime ? spec.acquireTime : microTimestamp(nowMs),
      leaseTransitions: (spec.leaseTransitions ?? 0) + (isMine || !spec.acquireTime ? 0 : 1),
    },
  }
}

/** Given back: anybody may take it at once. */
export function released(lease: Lease, nowMs: number): Lease {
  const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTimestamp(nowMs) }
  return { ...lease, spec }
}
