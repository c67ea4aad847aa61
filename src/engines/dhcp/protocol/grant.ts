import type { Message } from '../codec/message.ts'
import type { Bindings } from '../leases/bindings.ts'
import type { Lease } from '../leases/lease.ts'
import { grantedSeconds } from './lease-time.ts'
import type { Granted } from './outcome.ts'
import { type DhcpSettings, unnamedClient } from './settings.ts'

interface GrantedTime {
  /** What the client is told; what is recorded lasts at least as long. */
  readonly seconds: number
}

/** A request repeated within this time is answered from the lease as it stands: one client cannot keep the disk busy. */
const sameGrantMs = 1000

/** Lend the address, or lend it for longer. */
export function grant(
  settings: DhcpSettings,
  bindings: Bindings,
  message: Message,
  address: number,
  nowMs: number,
): Granted & GrantedTime {
  const { hostname, vmName, cluster } = settings.clients.get(message.client) ?? unnamedClient
  const seconds = grantedSeconds(settings.leaseSeconds, message.leaseSeconds)
  const wanted: Omit<Lease, 'sequence'> = {
    address,
    mac: message.client,
    clientId: message.clientIdentifier?.toString('hex') ?? '',
    hostname,
    vmName,
    cluster,
    state: 'Active',
    startMs: nowMs,
    expiresMs: nowMs + seconds * 1000,
  }
  const current = bindings.leaseOf(message.client)
  if (current !== undefined && isRepeat(current, wanted)) {
    const secondsLeft = Math.floor((current.expiresMs - nowMs) / 1000)
    return { seconds: secondsLeft, leaseChanges: [], isNewBinding: false, displaced: [] }
  }
  const { lease, displaced } = bindings.put(wanted)
  return { seconds, leaseChanges: [lease], isNewBinding: !isRenewal(current, wanted), displaced }
}

function isRepeat(current: Lease, wanted: Omit<Lease, 'sequence'>): boolean {
  const ageMs = wanted.startMs - current.startMs
  return (
    isRenewal(current, wanted) &&
    ageMs >= 0 &&
    ageMs < sameGrantMs &&
    current.clientId === wanted.clientId &&
    current.expiresMs - current.startMs === wanted.expiresMs - wanted.startMs
  )
}

/** Nothing is new but the time. */
function isRenewal(current: Lease | undefined, wanted: Omit<Lease, 'sequence'>): boolean {
  return (
    current?.state === 'Active' &&
    current.address === wanted.address &&
    current.hostname === wanted.hostname &&
    current.vmName === wanted.vmName &&
    current.cluster === wanted.cluster
  )
}
