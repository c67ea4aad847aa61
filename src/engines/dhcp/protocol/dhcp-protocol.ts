import type { Message } from '../codec/message.ts'
import type { Bindings } from '../leases/bindings.ts'
import { answerDiscover } from './discover.ts'
import { answerInform, noteDecline, noteRelease } from './endings.ts'
import { type Outcome, silent } from './outcome.ts'
import { isFromServedNetwork } from './permission.ts'
import { answerRequest } from './request.ts'
import type { DhcpSettings } from './settings.ts'

/**
 * The DHCP server without its sockets, disk and clock: a message and the time go in, what is to be sent and written
 * comes out. The bindings are changed at once, so the next message meets the new state, on disk or not.
 */
export function handle(settings: DhcpSettings, bindings: Bindings, message: Message, nowMs: number): Outcome {
  if (!isFromServedNetwork(settings, message)) return silent('foreign-network')
  switch (message.type) {
    case 'discover':
      return answerDiscover(settings, bindings, message, nowMs)
    case 'request':
      return answerRequest(settings, bindings, message, nowMs)
    case 'decline':
      return noteDecline(settings, bindings, message, nowMs)
    case 'release':
      return noteRelease(settings, bindings, message, nowMs)
    case 'inform':
      return answerInform(settings, message)
  }
}
