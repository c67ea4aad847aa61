import type { Metrics, Sample } from '../../../runtime/observe/metrics.ts'
import { type ClientMessageType, clientMessageTypes, decodeDrops } from '../codec/message.ts'
import type { BindingCounts } from '../leases/bindings.ts'
import type { Reply } from '../protocol/compose.ts'
import { silences } from '../protocol/outcome.ts'
import { type ProbeResult, probeResults } from './careful-offers.ts'

const replyTypes = ['offer', 'ack', 'nak'] as const
/** A lease that could not be stored is not confirmed. */
const drops = [...decodeDrops, ...silences, 'not-stored', 'addresses-in-use'] as const
type Drop = (typeof drops)[number]

/** A probe takes half a second, and a slow disk may take longer. */
const replyBucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const syncBucketsSeconds = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]

/** Plain numbers that the packet path adds to, read when somebody scrapes. */
export class DhcpCounters {
  readonly #received = zeros(clientMessageTypes)
  readonly #sent = zeros(replyTypes)
  readonly #dropped = zeros(drops)
  readonly #probes = zeros(probeResults)
  #sendErrors = 0
  readonly observeReplySeconds: (seconds: number) => void
  readonly observeSyncSeconds: (seconds: number) => void

  constructor(metrics: Metrics, counts: () => BindingCounts, isStoreHealthy: () => boolean) {
    metrics.counter(
      { name: 'oooi_dhcp_received_total', help: 'Messages from clients that could be read.', labels: ['type'] },
      () => samples('type', this.#received),
    )
    metrics.counter({ name: 'oooi_dhcp_sent_total', help: 'Replies sent.', labels: ['type'] }, () =>
      samples('type', this.#sent),
    )
    metrics.counter(
      { name: 'oooi_dhcp_dropped_total', help: 'Messages that got no answer, by the reason.', labels: ['reason'] },
      () => samples('reason', this.#dropped),
    )
    metrics.counter(
      { name: 'oooi_dhcp_probes_total', help: 'Addresses looked at before an offer.', labels: ['result'] },
      () => samples('result', this.#probes),
    )
    metrics.counter({ name: 'oooi_dhcp_send_errors_total', help: 'Replies that the network refused.' }, () => [
      { value: this.#sendErrors },
    ])
    metrics.gauge({ name: 'oooi_dhcp_leases', help: 'Leases by state.', labels: ['state'] }, () => {
      const { active, offered, expired, declined } = counts()
      return samples('state', { active, offered, expired, declined })
    })
    metrics.gauge({ name: 'oooi_dhcp_pool_addresses', help: 'Addresses of the pool.', labels: ['use'] }, () => {
      const { poolSize, poolUsed } = counts()
      return samples('use', { taken: poolUsed, available: poolSize - poolUsed })
    })
    metrics.gauge({ name: 'oooi_dhcp_lease_store_healthy', help: '1 if leases can be stored, else 0.' }, () => [
      { value: isStoreHealthy() ? 1 : 0 },
    ])
    this.observeReplySeconds = metrics.histogram(
      { name: 'oooi_dhcp_reply_seconds', help: 'Time from a message to the reply to it.' },
      replyBucketsSeconds,
    )
    this.observeSyncSeconds = metrics.histogram(
      { name: 'oooi_dhcp_lease_sync_seconds', help: 'How long the disk took to make a commit durable.' },
      syncBucketsSeconds,
    )
  }

  countReceived(type: ClientMessageType): void {
    this.#received[type]++
  }

  countSent(type: Reply['type']): void {
    this.#sent[type]++
  }

  countDropped(reason: Drop): void {
    this.#dropped[reason]++
  }

  countProbe(result: ProbeResult): void {
    this.#probes[result]++
  }

  countSendError(): void {
    this.#sendErrors++
  }
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>
}

function samples(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))
}
