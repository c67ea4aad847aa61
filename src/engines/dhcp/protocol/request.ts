import { cidrContains } from '../../../core/net/cidr.ts'
import type { Message } from '../codec/message.ts'
import type { Bindings } from '../leases/bindings.ts'
import { composeAck, composeNak } from './compose.ts'
import { grant } from './grant.ts'
import { answered, confirmed, type Outcome, silent } from './outcome.ts'
import { isForUs, isServed } from './permission.ts'
import type { DhcpSettings } from './settings.ts'

/** A DHCPREQUEST comes from a client in one of four states, told apart by what it carries (RFC 2131 section 4.3.2). */
export function answerRequest(settings: DhcpSettings, bindings: Bindings, message: Message, nowMs: number): Outcome {
  const request: Request = { settings, bindings, message, mac: message.client, nowMs }
  if (!isForUs(settings, message)) {
    bindings.withdrawOffer(message.client)
    return silent('for-another-server')
  }
  if (!isServed(settings, message.client)) return silent('unknown-client')
  const wanted = message.requestedAddress
  if (message.serverIdentifier !== undefined && wanted !== undefined) return selecting(request, wanted)
  if (message.clientAddress !== 0) return extending(request, message.clientAddress)
  if (wanted !== undefined) return rebooting(request, wanted)
  return unspecific(request)
}

interface Request {
  readonly settings: DhcpSettings
  readonly bindings: Bindings
  readonly message: Message
  readonly mac: string
  readonly nowMs: number
}

/** SELECTING: the client takes an offer. After a restart we may not remember it: then what is free will do. */
function selecting(request: Request, address: number): Outcome {
  const { bindings, mac } = request
  const expected = bindings.expectedAddress(mac)
  const isRight = expected === undefined || expected === address || bindings.offerTo(mac) === address
  return isRight && bindings.mayLend(mac, address) ? acknowledge(request, address) : refuse(request, address)
}

/** INIT-REBOOT: the client remembers an address and asks whether it still holds. */
function rebooting(request: Request, address: number): Outcome {
  const { settings, bindings, mac } = request
  if (!cidrContains(settings.cidr, address)) return refuseIfAuthoritative(request, address)
  const right = bindings.expectedAddress(mac) ?? bindings.leaseOf(mac)?.address
  // "If the DHCP server has no record of this client, then it MUST remain silent": unless there is no other server.
  if (right === undefined) return refuseIfAuthoritative(request, address)
  return right === address && bindings.mayLend(mac, address) ? acknowledge(request, address) : refuse(request, address)
}

/**
 * RENEWING and REBINDING: the client uses the address and wants it for longer. A running machine is not moved to a
 * reservation made since; that takes effect when it boots.
 */
function extending(request: Request, address: number): Outcome {
  const { settings, bindings, mac } = request
  if (!cidrContains(settings.cidr, address)) return refuseIfAuthoritative(request, address)
  const lease = bindings.leaseOf(mac)
  const isRecorded = lease?.address === address || settings.clients.get(mac)?.reservedAddress === address
  if (isRecorded && bindings.mayLend(mac, address)) return acknowledge(request, address)
  if (isRecorded || lease !== undefined) return refuse(request, address)
  return bindings.isClaimedByOther(mac, address) ? refuseIfAuthoritative(request, address) : silent('unknown-binding')
}

/** Neither option 50 nor ciaddr. No client should, some do, and a lease in force is what they mean. */
function unspecific(request: Request): Outcome {
  const address = request.bindings.expectedAddress(request.mac)
  return address === undefined ? refuseIfAuthoritative(request, undefined) : acknowledge(request, address)
}

function acknowledge({ settings, bindings, message, nowMs }: Request, address: number): Outcome {
  const granted = grant(settings, bindings, message, address, nowMs)
  const reply = composeAck(settings, message, address, granted.seconds)
  return confirmed(reply, granted)
}

function refuseIfAuthoritative(request: Request, address: number | undefined): Outcome {
  return request.settings.authoritative ? refuse(request, address) : silent('unknown-binding')
}

function refuse({ settings, bindings, message, mac }: Request, address: number | undefined): Outcome {
  bindings.withdrawOffer(mac)
  return answered(composeNak(settings, message, whyNot(settings, bindings, mac, address)))
}

/** Option 56: for the client's log, so that a person can see why. */
function whyNot(settings: DhcpSettings, bindings: Bindings, mac: string, address: number | undefined): string {
  if (address === undefined) return 'no lease'
  if (!cidrContains(settings.cidr, address)) return 'wrong network'
  if (bindings.isClaimedByOther(mac, address)) return 'address belongs to another'
  return bindings.leaseOf(mac) === undefined ? 'unknown lease' : 'wrong address'
}
