import type { RemoteInfo } from 'node:dgram'
import type { Reason } from '../../../api/reasons.ts'
import { formatIpv4 } from '../../../core/net/ipv4.ts'
import type { Logger } from '../../../runtime/observe/log.ts'
import { decode } from '../codec/decode.ts'
import type { Message } from '../codec/message.ts'
import type { LeaseStore } from '../journal/lease-store.ts'
import type { Bindings } from '../leases/bindings.ts'
import type { Lease } from '../leases/lease.ts'
import type { Reply } from '../protocol/compose.ts'
import { handle } from '../protocol/dhcp-protocol.ts'
import type { Outcome, Silence } from '../protocol/outcome.ts'
import type { DhcpSettings } from '../protocol/settings.ts'
import type { DhcpCounters } from './counters.ts'
import type { Refusals } from './refusals.ts'
import { type DhcpSockets, everybody, type Ports } from './sockets.ts'
import type { SteadyClock } from './steady-clock.ts'

interface ServiceParts {
  readonly bindings: Bindings
  readonly store: LeaseStore
  readonly sockets: DhcpSockets
  readonly ports: Ports
  readonly counters: DhcpCounters
  readonly refusals: Refusals
  readonly clock: SteadyClock
  readonly log: Logger
  /** Somebody has an address who did not have it before, or has it no more. */
  readonly onLeaseChange: (lease: Lease) => void
}

/** Silences that a person should hear of, because a machine stays without an address. */
const refusalReasons: Partial<Record<Silence, Reason>> = {
  'unknown-client': 'UnknownClient',
  'pool-exhausted': 'PoolExhausted',
}

/** What happens to a packet: read it, let the protocol decide, write what changed, answer. */
export class DhcpService {
  readonly #parts: ServiceParts
  #settings: DhcpSettings

  constructor(settings: DhcpSettings, parts: ServiceParts) {
    this.#settings = settings
    this.#parts = parts
  }

  get settings(): DhcpSettings {
    return this.#settings
  }

  /** Packets before this call met the old settings, packets after it meet the new ones; none meets neither. */
  configure(settings: DhcpSettings): void {
    this.#settings = settings
    this.#parts.bindings.configure(settings)
  }

  receive(packet: Buffer, from: RemoteInfo): void {
    const { bindings, counters, clock } = this.#parts
    const message = decode(packet)
    if (typeof message === 'string') {
      counters.countDropped(message)
      return
    }
    counters.countReceived(message.type)
    const nowMs = clock.nowMs()
    this.passTime(nowMs)
    const outcome = handle(this.#settings, bindings, message, nowMs)
    if (outcome.silence !== undefined) this.#noteSilence(message, outcome.silence, nowMs)
    this.#store(outcome, from)
    this.#tell(message, outcome)
  }

  /** Leases end by themselves, whether packets come or not. */
  passTime(nowMs: number): void {
    for (const ended of this.#parts.bindings.sweep(nowMs)) this.#parts.onLeaseChange(ended)
  }

  #store(outcome: Outcome, from: RemoteInfo): void {
    const { store, counters } = this.#parts
    const { replies, leaseChanges } = outcome
    if (outcome.waitsForStore) {
      store.append(leaseChanges, (stored) => {
        if (stored) this.#sendAll(replies, from)
        else counters.countDropped('not-stored')
      })
      return
    }
    if (leaseChanges.length > 0) store.append(leaseChanges, () => undefined)
    this.#sendAll(replies, from)
  }

  #sendAll(replies: readonly Reply[], from: RemoteInfo): void {
    const { sockets, ports, counters } = this.#parts
    for (const { type, bytes, destination, port } of replies) {
      const portNumber = port === 'source' ? from.port : ports[port]
      sockets.send(bytes, portNumber, destination === undefined ? everybody : formatIpv4(destination))
      counters.countSent(type)
    }
  }

  #tell({ client: mac }: Message, { replies, leaseChanges, isNewBinding, displaced }: Outcome): void {
    const { log, onLeaseChange } = this.#parts
    for (const { why } of replies) if (why !== undefined) log.debug({ mac, why }, 'request refused')
    if (!isNewBinding) return
    for (const lease of displaced) onLeaseChange({ ...lease, state: 'Released' })
    for (const lease of leaseChanges) {
      const { hostname, state } = lease
      const about = { mac, address: formatIpv4(lease.address), ...(hostname !== '' && { hostname }) }
      if (state === 'Active') log.info(about, 'lease bound')
      else if (state === 'Declined') log.warn(about, 'address declined: somebody else uses it, so it is set aside')
      else log.debug(about, 'lease released')
      onLeaseChange(lease)
    }
  }

  #noteSilence({ client: mac, type }: Message, silence: Silence, nowMs: number): void {
    const { counters, refusals, log } = this.#parts
    counters.countDropped(silence)
    const reason = refusalReasons[silence]
    if (reason !== undefined && refusals.add(mac, reason, nowMs)) log.warn({ mac, type, reason }, 'client refused')
  }
}
