/**
 * One address and who has it, or had it. A value: a change is a new Lease with a higher sequence number, so a list of
 * leases taken at one moment stays true to that moment.
 */
export interface Lease {
  readonly address: number
  /** The MAC address; for a client without one, `id/` and its client identifier in hexadecimal. */
  readonly mac: string
  /** What the client sent as option 61, in hexadecimal; empty if nothing. */
  readonly clientId: string
  readonly hostname: string
  readonly vmName: string
  readonly cluster: string
  readonly state: LeaseState
  readonly startMs: number
  /** When it ends or ended; for a declined address, when it may be tried again. */
  readonly expiresMs: number
  /** Grows with every change of any lease of this server: of two stories about an address the higher one is true. */
  readonly sequence: number
}

/**
 * Active: in force. Expired, Released: over, kept so that the client gets the same address again while nobody needs
 * it. Declined: the client found somebody else there, so nobody gets it for a while.
 */
export const leaseStates = ['Active', 'Expired', 'Released', 'Declined'] as const
export type LeaseState = (typeof leaseStates)[number]
