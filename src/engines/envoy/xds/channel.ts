import type { Resource, ResourceKind, ResourceSet } from './snapshot.ts'

/** Why Envoy does not take something, in its own words. */
export interface Rejection {
  readonly kind: ResourceKind
  /** The resource, or undefined where Envoy was told several at a time. */
  readonly name: string | undefined
  readonly text: string
}

/** What Envoy is to have of one kind. */
export interface Offer {
  readonly wanted: ResourceSet
  /** Whether it may keep what is not wanted any more: something else may still refer to it. */
  readonly keepOthers: boolean
}

/** One kind of resources on one stream: what Envoy has, what is on its way, what it will not take. */
export interface Channel {
  /**
   * Sends what is missing, and returns what that was. Nothing is sent twice, and nothing that was rejected until it
   * changes.
   */
  offer(offer: Offer): readonly string[]
  /** Envoy waits to be told these again, though it has them. */
  repeat(names: readonly string[]): void
  /** Has Envoy answered everything that was sent, and does it have, or reject, all of these? */
  isSettled(resources: Iterable<Resource>): boolean
  has(name: string): boolean
  readonly rejections: readonly Rejection[]
  /** What was rejected may be offered once more: the reason may lie outside, such as a port that another program had. */
  forgive(): void
}
