import type { Message } from '../codec/message.ts'
import type { Bindings } from '../leases/bindings.ts'
import { composeOffer } from './compose.ts'
import { answered, answeredUnlessUsed, type Outcome, silent } from './outcome.ts'
import { isServed } from './permission.ts'
import type { DhcpSettings } from './settings.ts'

/** RFC 2131 section 4.3.1. An offer is a hold in memory: nothing is written, so a flood of them costs no disk. */
export function answerDiscover(settings: DhcpSettings, bindings: Bindings, message: Message, nowMs: number): Outcome {
  if (!isServed(settings, message.client)) return silent('unknown-client')
  const address = bindings.offer(message.client, message.requestedAddress, nowMs)
  if (address === undefined) return silent('pool-exhausted')
  const offer = composeOffer(settings, message, address)
  const isCareful = settings.probeTimeoutMs !== undefined && bindings.mayBeUsed(address)
  return isCareful ? answeredUnlessUsed(offer, address) : answered(offer)
}
