import { isHostAddress } from '../../../core/net/cidr.ts'
import type { Message } from '../codec/message.ts'
import type { Bindings } from '../leases/bindings.ts'
import { composeInformAck } from './compose.ts'
import { answered, noted, type Outcome, silent } from './outcome.ts'
import { isForUs } from './permission.ts'
import type { DhcpSettings } from './settings.ts'

/** How long an address that somebody else was found on is left alone. */
const quarantineMs = 24 * 60 * 60 * 1000

/** RFC 2131 section 4.3.3. Only whoever holds the address can say so, or one client could close the whole pool. */
export function noteDecline(settings: DhcpSettings, bindings: Bindings, message: Message, nowMs: number): Outcome {
  if (!isForUs(settings, message)) return silent('for-another-server')
  const lease = bindings.leaseOf(message.client)
  if (lease?.state !== 'Active' || lease.address !== message.requestedAddress) return silent('not-the-holder')
  const declined = { ...lease, state: 'Declined' as const, startMs: nowMs, expiresMs: nowMs + quarantineMs }
  return noted(bindings.put(declined).lease)
}

/**
 * RFC 2131 section 4.3.4. The client's memory of the address is kept. A missing option 54 is forgiven, though table 5
 * demands it: systemd-networkd sends none.
 */
export function noteRelease(settings: DhcpSettings, bindings: Bindings, message: Message, nowMs: number): Outcome {
  if (!isForUs(settings, message)) return silent('for-another-server')
  const lease = bindings.leaseOf(message.client)
  if (lease?.state !== 'Active' || lease.address !== message.clientAddress) return silent('not-the-holder')
  return noted(bindings.put({ ...lease, state: 'Released', expiresMs: nowMs }).lease)
}

/** RFC 2131 section 4.3.5. Whoever has an address may know the rest; no lease is touched. */
export function answerInform(settings: DhcpSettings, message: Message): Outcome {
  if (message.clientAddress === 0) return silent('no-client-address')
  if (!isHostAddress(settings.cidr, message.clientAddress)) return silent('foreign-network')
  return answered(composeInformAck(settings, message))
}
