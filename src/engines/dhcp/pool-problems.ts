import type { Problem } from '../../core/result.ts'
import type { DhcpSettings } from './protocol/settings.ts'

/** Why new clients get no address, if they get none. */
export function poolProblems({ title, reservedFor }: DhcpSettings, poolSize: number, poolUsed: number): Problem[] {
  // A range of nothing but reservations is how some want it.
  if (poolUsed < poolSize || (poolSize === 0 && reservedFor.size > 0)) return []
  const why =
    poolSize === 0
      ? 'every address of the range is excluded, or is that of a server or the gateway, so no client gets one: widen spec.leaseConfig.rangeStart to rangeEnd'
      : `all ${poolSize} addresses of the range are lent or set aside, so new clients get none: widen spec.leaseConfig.rangeStart to rangeEnd, or shorten leaseTime`
  return [{ reason: 'PoolExhausted', message: `${title}: ${why}`, field: 'spec.leaseConfig' }]
}
