import type { Lease } from '../leases/lease.ts'
import type { Reply } from './compose.ts'

/** Why a message that could be read got no answer. */
export const silences = [
  'foreign-network',
  'unknown-client',
  'pool-exhausted',
  'for-another-server',
  'unknown-binding',
  'not-the-holder',
  'no-client-address',
] as const
export type Silence = (typeof silences)[number]

/** What a message leads to. */
export interface Outcome {
  readonly replies: readonly Reply[]
  /** To be written, in this order. A reply that confirms a lease leaves only when they are on disk. */
  readonly leaseChanges: readonly Lease[]
  /** The replies wait until all leases handed out so far are on disk, those in `leaseChanges` included. */
  readonly waitsForStore: boolean
  /** The replies wait until it is known that nobody uses this address. */
  readonly unlessUsed: number | undefined
  /** The lease changes tell of a new holder or a new name, not only of a later end. */
  readonly isNewBinding: boolean
  /** Leases that are no more because of this message. */
  readonly displaced: readonly Lease[]
  readonly silence: Silence | undefined
}

const nothing: readonly never[] = []

const quiet: Outcome = {
  replies: nothing,
  leaseChanges: nothing,
  waitsForStore: false,
  unlessUsed: undefined,
  isNewBinding: false,
  displaced: nothing,
  silence: undefined,
}

export function silent(silence: Silence): Outcome {
  return { ...quiet, silence }
}

export function answered(reply: Reply): Outcome {
  return { ...quiet, replies: [reply] }
}

/** An offer of an address that no lease is on; who uses it nevertheless has to be found out first. */
export function answeredUnlessUsed(reply: Reply, address: number): Outcome {
  return { ...quiet, replies: [reply], unlessUsed: address }
}

export function confirmed(reply: Reply, granted: Granted): Outcome {
  const { leaseChanges, isNewBinding, displaced } = granted
  return { ...quiet, replies: [reply], leaseChanges, waitsForStore: true, isNewBinding, displaced }
}

/** The client wants no answer. */
export function noted(lease: Lease): Outcome {
  return { ...quiet, leaseChanges: [lease], isNewBinding: true }
}

export type Granted = Pick<Outcome, 'leaseChanges' | 'isNewBinding' | 'displaced'>
