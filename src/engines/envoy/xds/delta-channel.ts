import type { Channel, Offer, Rejection } from './channel.ts'
import type { DeltaRequest, DeltaResponse } from './discovery.ts'
import { type Resource, type ResourceKind, typeUrlOf } from './snapshot.ts'

interface Sent {
  readonly resources: readonly Resource[]
  readonly removed: readonly string[]
}

/**
 * The incremental protocol. After a rejection Envoy forgets the versions of everything in that response, also of what
 * it took; so the resources of a rejected response are sent again one by one. That also shows which of them is bad.
 */
export class DeltaChannel implements Channel {
  readonly #kind: ResourceKind
  readonly #send: (response: DeltaResponse) => void
  readonly #nextNonce: () => string
  readonly #versions = new Map<string, string>()
  readonly #inFlight = new Map<string, Sent>()
  readonly #rejected = new Map<string, { readonly version: string; readonly text: string }>()
  /** To be told alone, because a response with it and others was rejected. */
  readonly #suspects = new Set<string>()
  /** On their way, and to be sent once more after it. */
  readonly #outdated = new Set<string>()
  readonly #subscribed = new Set<string>()
  #isAsked = false
  #isAnswered = false

  constructor(kind: ResourceKind, send: (response: DeltaResponse) => void, nextNonce: () => string) {
    this.#kind = kind
    this.#send = send
    this.#nextNonce = nextNonce
  }

  receive(request: DeltaRequest): void {
    if (!this.#isAsked)
      for (const [name, version] of Object.entries(request.initialResourceVersions)) {
        this.#versions.set(name, version)
      }
    this.#isAsked = true
    for (const name of request.resourceNamesUnsubscribe) {
      this.#subscribed.delete(name)
      this.#versions.delete(name)
    }
    for (const name of request.resourceNamesSubscribe) {
      // Who subscribes again wants to be told again, even what it has (it may have dropped it).
      if (this.#subscribed.has(name)) this.#versions.delete(name)
      this.#subscribed.add(name)
    }
    const sent = this.#inFlight.get(request.responseNonce)
    if (!sent) return
    this.#inFlight.delete(request.responseNonce)
    if (request.errorDetail) this.#onRejected(sent, request.errorDetail.message)
    else this.#onTaken(sent)
  }

  offer({ wanted, keepOthers }: Offer): readonly string[] {
    if (!this.#isAsked) return []
    for (const name of this.#rejected.keys()) if (!wanted.has(name)) this.#rejected.delete(name)
    const missing = [...wanted.values()].filter((resource) => this.#lacks(resource))
    const surplus = keepOthers
      ? []
      : [...this.#versions.keys()].filter((name) => !wanted.has(name) && !this.#isOnItsWay(name))
    const isAlone = (resource: Resource) => this.#kind === 'endpoints' || this.#suspects.has(resource.name)
    const together = missing.filter((resource) => !isAlone(resource))
    // At its start Envoy waits for a first answer, also when there is nothing to say.
    const isFirst = !this.#isAnswered && this.#kind !== 'endpoints'
    if (together.length > 0 || surplus.length > 0 || isFirst) this.#transmit(together, surplus)
    for (const resource of missing.filter(isAlone)) this.#transmit([resource], [])
    return missing.map(({ name }) => name)
  }

  repeat(names: readonly string[]): void {
    for (const name of names) {
      this.#versions.delete(name)
      if (this.#isOnItsWay(name)) this.#outdated.add(name)
    }
  }

  isSettled(resources: Iterable<Resource>): boolean {
    if (this.#inFlight.size > 0) return false
    for (const { name, version } of resources) {
      if (this.#versions.get(name) !== version && this.#rejected.get(name)?.version !== version) return false
    }
    return true
  }

  has(name: string): boolean {
    return this.#versions.has(name)
  }

  get rejections(): readonly Rejection[] {
    return [...this.#rejected].map(([name, { text }]) => ({ kind: this.#kind, name, text }))
  }

  forgive(): void {
    this.#rejected.clear()
  }

  #lacks({ name, version }: Resource): boolean {
    if (this.#kind === 'endpoints' && !this.#subscribed.has(name)) return false
    if (this.#isOnItsWay(name)) return false
    return this.#versions.get(name) !== version && this.#rejected.get(name)?.version !== version
  }

  /** One version of a thing at a time, so that an answer is always about that one. */
  #isOnItsWay(name: string): boolean {
    for (const { resources, removed } of this.#inFlight.values()) {
      if (removed.includes(name) || resources.some((resource) => resource.name === name)) return true
    }
    return false
  }

  #transmit(resources: readonly Resource[], removed: readonly string[]): void {
    const [typeUrl, nonce] = [typeUrlOf(this.#kind), this.#nextNonce()]
    this.#isAnswered = true
    this.#inFlight.set(nonce, { resources, removed })
    this.#send({
      typeUrl,
      nonce,
      resources: resources.map(({ name, version, bytes }) => ({ name, version, resource: { typeUrl, value: bytes } })),
      removedResources: removed,
    })
  }

  #onTaken({ resources, removed }: Sent): void {
    for (const { name, version } of resources) {
      if (!this.#outdated.delete(name)) this.#versions.set(name, version)
      this.#rejected.delete(name)
      this.#suspects.delete(name)
    }
    for (const name of removed) this.#versions.delete(name)
  }

  #onRejected({ resources, removed }: Sent, text: string): void {
    const [only] = resources
    if (resources.length === 1 && only) {
      this.#rejected.set(only.name, { version: only.version, text })
      this.#suspects.delete(only.name)
    } else for (const { name } of resources) this.#suspects.add(name)
    for (const name of removed) this.#versions.delete(name)
  }
}
