import type { Reason } from '../../../api/reasons.ts'
import { formatIpv4 } from '../../../core/net/ipv4.ts'
import { everybody } from '../../../core/places/place.ts'
import { LineLimit } from '../../../runtime/observe/line-limit.ts'
import type { Logger } from '../../../runtime/observe/log.ts'
import type { Datagram, DatagramSource } from '../../sockets/sockets.ts'
import { decode } from '../codec/decode.ts'
import type { Message } from '../codec/message.ts'
import type { LeaseStore } from '../journal/lease-store.ts'
import type { Bindings } from '../leases/bindings.ts'
import type { Lease } from '../leases/lease.ts'
import type { Reply } from '../protocol/compose.ts'
import { noteInUse } from '../protocol/conflict.ts'
import { handle } from '../protocol/dhcp-protocol.ts'
import type { Outcome, Silence } from '../protocol/outcome.ts'
import type { DhcpSettings } from '../protocol/settings.ts'
import { type Asked, CarefulOffers } from './careful-offers.ts'
import type { DhcpCounters } from './counters.ts'
import type { OtherServers } from './other-servers.ts'
import type { Prober } from './prober.ts'
import type { Refusals } from './refusals.ts'
import type { DhcpSockets, Ports } from './sockets.ts'
import type { SteadyClock } from './steady-clock.ts'

interface ServiceParts {
  readonly bindings: Bindings
  readonly store: LeaseStore
  readonly sockets: DhcpSockets
  readonly prober: Prober
  readonly ports: Ports
  readonly counters: DhcpCounters
  readonly refusals: Refusals
  readonly otherServers: OtherServers
  readonly clock: SteadyClock
  readonly monotonicMs: () => number
  readonly log: Logger
  /** Somebody has an address who did not have it before, or has it no more. */
  readonly onLeaseChange: (lease: Lease) => void
}

/** Silences that a person should hear of, because a machine stays without an address. */
const refusalReasons: Partial<Record<Silence, Reason>> = {
  'unknown-client': 'UnknownClient',
  'pool-exhausted': 'PoolExhausted',
}

/** A rack that boots stays below; whoever takes and gives back addresses all day does not fill the disk with it. */
const linesPerSecond = 100

/** So many addresses in use are found for one message; the client will ask again. */
const mostAttempts = 8

/** What happens to a packet: read it, let the protocol decide, write what changed, answer. */
export class DhcpService {
  readonly #parts: ServiceParts
  readonly #careful: CarefulOffers
  readonly #lines: LineLimit
  #settings: DhcpSettings

  constructor(settings: DhcpSettings, parts: ServiceParts) {
    this.#settings = settings
    this.#parts = parts
    const { bindings, prober, counters, clock, log } = parts
    this.#lines = new LineLimit(linesPerSecond, (count) =>
      log.info({ count }, `leases not logged: more than ${linesPerSecond} in a second`),
    )
    this.#careful = new CarefulOffers({
      bindings,
      prober,
      release: ({ outcome, asked }) => this.#sendAll(outcome.replies, asked),
      conflict: ({ message, asked, attempts }, address, user) => {
        // Those set aside are tried when no other is left; each of them once, or a full pool would never be called full.
        const wasSetAside = bindings.leaseAt(address)?.state === 'Declined'
        this.#setAside(address, user)
        const tried = attempts + 1
        if (wasSetAside && tried >= Math.min(bindings.declinedCount, mostAttempts)) {
          this.#noteSilence(message, 'pool-exhausted', clock.nowMs())
        } else if (tried < mostAttempts) this.#answer(message, asked, clock.nowMs(), tried)
        else counters.countDropped('addresses-in-use')
      },
      count: (result) => counters.countProbe(result),
    })
  }

  get settings(): DhcpSettings {
    return this.#settings
  }

  /** Packets before this call met the old settings, packets after it meet the new ones; none meets neither. */
  configure(settings: DhcpSettings): void {
    this.#settings = settings
    this.#parts.bindings.configure(settings)
  }

  receive(packet: Buffer, from: DatagramSource): void {
    const { counters, clock, monotonicMs } = this.#parts
    const atMs = monotonicMs()
    const message = decode(packet)
    if (typeof message === 'string') {
      counters.countDropped(message)
      return
    }
    counters.countReceived(message.type)
    const nowMs = clock.nowMs()
    this.passTime(nowMs)
    this.#answer(message, { packet, from, atMs }, nowMs, 0)
  }

  /** What was asked, is not answered yet and changes nothing in the leases. */
  get unanswered(): readonly Datagram[] {
    return this.#careful.unanswered
  }

  /** Leases end by themselves, whether packets come or not. */
  passTime(nowMs: number): void {
    for (const ended of this.#parts.bindings.sweep(nowMs)) this.#parts.onLeaseChange(ended)
  }

  #answer(message: Message, asked: Asked, nowMs: number, attempts: number): void {
    const outcome = handle(this.#settings, this.#parts.bindings, message, nowMs)
    if (outcome.silence !== undefined) this.#noteSilence(message, outcome.silence, nowMs)
    const { probeTimeoutMs } = this.#settings
    if (outcome.unlessUsed !== undefined && probeTimeoutMs !== undefined) {
      this.#careful.hold({ message, asked, outcome, attempts }, outcome.unlessUsed, probeTimeoutMs)
      return
    }
    this.#store(outcome, asked)
    this.#tell(message.client, outcome)
  }

  #setAside(address: number, user: string): void {
    const { bindings, clock } = this.#parts
    const before = bindings.leaseAt(address)
    const isKnown = before?.state === 'Declined' && before.mac === user
    const outcome = noteInUse(bindings, address, user, clock.nowMs())
    for (const lease of outcome.leaseChanges) this.#parts.store.append([lease], () => undefined)
    // Whoever is still there each time it is looked was told of the first time.
    if (!isKnown) this.#tell(user, outcome)
  }

  #store(outcome: Outcome, asked: Asked): void {
    const { store, counters } = this.#parts
    const { replies, leaseChanges } = outcome
    if (outcome.waitsForStore) {
      store.append(leaseChanges, (stored) => {
        if (stored) this.#sendAll(replies, asked)
        else counters.countDropped('not-stored')
      })
      return
    }
    if (leaseChanges.length > 0) store.append(leaseChanges, () => undefined)
    this.#sendAll(replies, asked)
  }

  #sendAll(replies: readonly Reply[], { from, atMs }: Asked): void {
    const { sockets, ports, counters, monotonicMs } = this.#parts
    for (const { type, bytes, destination, port } of replies) {
      const portNumber = port === 'source' ? from.port : ports[port]
      sockets.send(bytes, portNumber, destination === undefined ? everybody : formatIpv4(destination))
      counters.countSent(type)
      counters.observeReplySeconds((monotonicMs() - atMs) / 1000)
    }
  }

  #tell(mac: string, { replies, leaseChanges, isNewBinding, displaced }: Outcome): void {
    const { log, onLeaseChange, clock } = this.#parts
    for (const { why } of replies) if (why !== undefined) log.debug({ mac, why }, 'request refused')
    if (!isNewBinding) return
    for (const lease of displaced) onLeaseChange({ ...lease, state: 'Released' })
    for (const lease of leaseChanges) {
      if (this.#lines.take(clock.nowMs())) this.#log(mac, lease)
      onLeaseChange(lease)
    }
  }

  #log(mac: string, { address, hostname, state }: Lease): void {
    const { log } = this.#parts
    const about = { mac, address: formatIpv4(address), ...(hostname !== '' && { hostname }) }
    if (state === 'Active') log.info(about, 'lease bound')
    else if (state === 'Declined') log.warn(about, 'address in use by somebody without a lease: it is set aside')
    else log.debug(about, 'lease released')
  }

  #noteSilence(message: Message, silence: Silence, nowMs: number): void {
    const { counters, refusals, log } = this.#parts
    const { client: mac, type } = message
    counters.countDropped(silence)
    if (silence === 'for-another-server') this.#noteOtherServer(message, nowMs)
    const reason = refusalReasons[silence]
    if (reason !== undefined && refusals.add(mac, reason, nowMs)) log.warn({ mac, type, reason }, 'client refused')
  }

  #noteOtherServer({ client: mac, serverIdentifier }: Message, nowMs: number): void {
    const { otherServers, log } = this.#parts
    if (serverIdentifier === undefined || !this.#settings.authoritative) return
    if (otherServers.note(serverIdentifier, nowMs)) {
      log.warn({ mac, server: formatIpv4(serverIdentifier) }, 'another DHCP server was chosen by a client')
    }
  }
}
