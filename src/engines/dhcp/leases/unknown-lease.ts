import type { Problem } from '../../../core/result.ts'

export function unknownLease(address: string): Problem {
  return { reason: 'LeaseUnknown', message: `there is no lease for ${address}: oooi leases lists those there are` }
}
