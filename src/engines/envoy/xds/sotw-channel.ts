import type { Channel, Offer, Rejection } from './channel.ts'
import type { DiscoveryRequest, DiscoveryResponse } from './discovery.ts'
import { type Resource, type ResourceKind, type ResourceSet, typeUrlOf, versionOf } from './snapshot.ts'

/**
 * State of the world: each response says everything of its kind, endpoints alone come one by one. Envoy takes the good
 * part of a response it rejects; it is not told the same again until something changes.
 */
export class SotwChannel implements Channel {
  readonly #kind: ResourceKind
  readonly #send: (response: DiscoveryResponse) => void
  readonly #nextNonce: () => string
  /** By what they are about: one endpoint set, or all of the kind under one name. */
  readonly #topics = new Map<string, Topic>()
  #resources: ResourceSet = new Map()
  #subscribed: ReadonlySet<string> = new Set()
  #isAsked = false

  constructor(kind: ResourceKind, send: (response: DiscoveryResponse) => void, nextNonce: () => string) {
    this.#kind = kind
    this.#send = send
    this.#nextNonce = nextNonce
  }

  receive(request: DiscoveryRequest): void {
    this.#isAsked = true
    this.#subscribed = new Set(request.resourceNames)
    for (const name of this.#topics.keys()) {
      if (this.#kind === 'endpoints' && !this.#subscribed.has(name)) this.#topics.delete(name)
    }
    for (const topic of this.#topics.values()) {
      if (topic.nonce === undefined || topic.nonce !== request.responseNonce) continue
      topic.nonce = undefined
      topic.rejection = request.errorDetail?.message
    }
  }

  offer({ wanted, keepOthers }: Offer): readonly string[] {
    if (!this.#isAsked) return []
    if (this.#kind === 'endpoints') {
      const asked = [...wanted.values()].filter(({ name }) => this.#subscribed.has(name))
      return asked.filter((resource) => this.#tell(resource.name, [resource])).map(({ name }) => name)
    }
    const told = keepOthers ? new Map([...this.#resources, ...wanted]) : wanted
    const before = this.#resources
    if (!this.#tell(allOfThem, [...told.values()])) return []
    this.#resources = told
    return [...told.values()]
      .filter(({ name, version }) => before.get(name)?.version !== version)
      .map(({ name }) => name)
  }

  repeat(names: readonly string[]): void {
    for (const name of names) this.#topics.delete(name)
  }

  isSettled(resources: Iterable<Resource>): boolean {
    if ([...this.#topics.values()].some(({ nonce }) => nonce !== undefined)) return false
    for (const resource of resources) if (!this.#isTold(resource)) return false
    return true
  }

  #isTold(resource: Resource): boolean {
    if (this.#kind === 'endpoints') return this.#topics.get(resource.name)?.version === versionOf([resource])
    return this.#resources.get(resource.name)?.version === resource.version
  }

  has(name: string): boolean {
    return this.#resources.has(name) && this.#topics.get(allOfThem)?.rejection === undefined
  }

  get rejections(): readonly Rejection[] {
    return [...this.#topics].flatMap(([name, { rejection }]) =>
      rejection === undefined
        ? []
        : [{ kind: this.#kind, name: name === allOfThem ? undefined : name, text: rejection }],
    )
  }

  forgive(): void {
    for (const [name, topic] of this.#topics) if (topic.rejection !== undefined) this.#topics.delete(name)
  }

  /** False when there is no news, or the answer to the last is still awaited. */
  #tell(topicName: string, resources: readonly Resource[]): boolean {
    const topic = this.#topics.get(topicName)
    const version = versionOf(resources)
    if (topic?.version === version || topic?.nonce !== undefined) return false
    const [typeUrl, nonce] = [typeUrlOf(this.#kind), this.#nextNonce()]
    this.#topics.set(topicName, { version, nonce, rejection: undefined })
    this.#send({
      typeUrl,
      nonce,
      versionInfo: version,
      resources: resources.map(({ bytes }) => ({ typeUrl, value: bytes })),
    })
    return true
  }
}

interface Topic {
  readonly version: string
  /** While the answer is awaited. */
  nonce: string | undefined
  rejection: string | undefined
}

const allOfThem = '*'
