import type { Reason } from '../../api/reasons.ts'
import { reportedTroubles, type StatedCondition } from './engine.ts'
import { type Statement, statementsAbout } from './statement.ts'

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
export function dhcpVerdict(
  generation: number,
  conditions: readonly StatedCondition[] | undefined,
): { readonly needed: Statement | undefined; readonly remark: string } {
  const { fails } = statementsAbout(generation)
  const [worst] = reportedTroubles(conditions, fatal)
  const remarks = reportedTroubles(conditions, dhcpTroubles).map(({ type, message }) => `${type}: ${message}`)
  const needed = worst && fails('LeaseStoreDegraded', 'LeaseStoreDegraded', worst.message)
  return { needed, remark: remarks.join('; ') }
}
