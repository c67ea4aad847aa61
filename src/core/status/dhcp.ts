import type { Reason } from '../../api/reasons.ts'
import { type EngineVerdict, engineVerdict, type StatedCondition } from './engine.ts'

/** What a DHCP engine looks out for, and states as conditions. */
export const dhcpTroubles = [
  'PoolExhausted',
  'RogueServerSeen',
  'LeaseStoreDegraded',
  'LeasesOrphaned',
  'LeasesOutsideRange',
  'AddressInUse',
] as const satisfies readonly Reason[]

/** With these nobody is served; with all others those are who have an address, so that the server counts as ready. */
const fatal: readonly (typeof dhcpTroubles)[number][] = ['LeaseStoreDegraded']

/** What the engine's own conditions mean for Ready: what is in its way, and what is said beside it. */
export function dhcpVerdict(generation: number, conditions: readonly StatedCondition[] | undefined): EngineVerdict {
  return engineVerdict(generation, conditions, dhcpTroubles, fatal)
}
