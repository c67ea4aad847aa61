import type { Channel, Rejection } from './channel.ts'
import { kindOf, type Resource, type ResourceKind, type Snapshot } from './snapshot.ts'

type Channels<Request> = Readonly<Record<ResourceKind, Channel & { receive(request: Request): void }>>

/**
 * One stream of one Envoy. New clusters go first, then their endpoints, then the listeners that use them, and only when
 * these have changed do old clusters go: at no time does a listener lead to a cluster that is not there.
 */
export class Conversation<Request extends { readonly typeUrl: string }> {
  readonly #channels: Channels<Request>
  #snapshot: Snapshot | undefined
  #isConverged = false

  constructor(channels: Channels<Request>) {
    this.#channels = channels
  }

  /** Does this Envoy have the newest snapshot, but for what it rejects? */
  get isConverged(): boolean {
    return this.#isConverged
  }

  get rejections(): readonly Rejection[] {
    const { clusters, endpoints, listeners } = this.#channels
    return [...clusters.rejections, ...endpoints.rejections, ...listeners.rejections]
  }

  receive(request: Request): void {
    const kind = kindOf(request.typeUrl)
    if (!kind) return
    this.#channels[kind].receive(request)
    this.#advance()
  }

  serve(snapshot: Snapshot): void {
    this.#snapshot = snapshot
    this.#advance()
  }

  /** Tells what was rejected once more. */
  retry(): void {
    if (this.rejections.length === 0) return
    for (const channel of Object.values(this.#channels)) channel.forgive()
    this.#advance()
  }

  #advance(): void {
    if (!this.#snapshot) return
    const { clusters, endpoints, listeners } = this.#snapshot
    const to = this.#channels
    this.#isConverged = false
    // A cluster that was told anew is not used before its endpoints are told after it.
    to.endpoints.repeat(to.clusters.offer({ wanted: clusters, keepOthers: true }))
    to.endpoints.offer({ wanted: endpoints, keepOthers: true })
    if (!to.clusters.isSettled(clusters.values())) return
    if (!to.endpoints.isSettled(this.#expectedEndpoints(endpoints.values()))) return
    to.listeners.offer({ wanted: listeners, keepOthers: false })
    if (!to.listeners.isSettled(listeners.values())) return
    to.clusters.offer({ wanted: clusters, keepOthers: false })
    this.#isConverged = to.clusters.isSettled(clusters.values())
  }

  /** Envoy asks for the endpoints of the clusters it has taken. */
  #expectedEndpoints(endpoints: Iterable<Resource>): Resource[] {
    return [...endpoints].filter(({ name }) => this.#channels.clusters.has(name))
  }
}
