/** A shorter lease would have its client renew all the time; a client that wants one gets this much. */
const shortestWishSeconds = 60

/** How long the address is lent: as configured, or less if the client wants less (RFC 2131 section 4.3.1). */
export function grantedSeconds(configuredSeconds: number, wishedSeconds: number | undefined): number {
  if (wishedSeconds === undefined) return configuredSeconds
  return Math.min(configuredSeconds, Math.max(wishedSeconds, shortestWishSeconds))
}

export interface RenewalTimes {
  readonly renewalSeconds: number
  readonly rebindingSeconds: number
}

/** T1 and T2 (RFC 2131 section 4.4.5). Undefined for a lease of a few seconds, where T1 < T2 < end cannot hold. */
export function renewalTimes(leaseSeconds: number): RenewalTimes | undefined {
  const renewalSeconds = Math.floor(leaseSeconds / 2)
  const rebindingSeconds = Math.floor((leaseSeconds * 7) / 8)
  const inOrder = renewalSeconds > 0 && renewalSeconds < rebindingSeconds && rebindingSeconds < leaseSeconds
  return inOrder ? { renewalSeconds, rebindingSeconds } : undefined
}
