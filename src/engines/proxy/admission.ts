import type { ProxyLimits } from './limits.ts'

/** A connection that has not said yet where it wants to go. */
export interface Undecided {
  /** Close it: the place is needed. */
  evict(): void
}

/**
 * Who may come in. Connections are counted, in all and per source. Those still without a ClientHello have places of
 * their own, and when these run out the newcomer gets the place of the one that has waited longest: an honest client
 * needs a place for milliseconds, so those who hold places are not the honest ones.
 */
export class Admission {
  readonly #limits: ProxyLimits
  readonly #openBySource = new Map<string, number>()
  /** With their source, in order of arrival, as Maps and Sets keep it. */
  readonly #undecided = new Map<Undecided, string>()
  readonly #undecidedBySource = new Map<string, Set<Undecided>>()
  #open = 0

  constructor(limits: ProxyLimits) {
    this.#limits = limits
  }

  get undecided(): number {
    return this.#undecided.size
  }

  /** Takes a place, to be given back with `leave`; false when there is none. */
  enter(source: string): boolean {
    const ofSource = this.#openBySource.get(source) ?? 0
    if (this.#open >= this.#limits.maxConnections || ofSource >= this.#limits.maxConnectionsPerSource) return false
    this.#open += 1
    this.#openBySource.set(source, ofSource + 1)
    return true
  }

  leave(source: string): void {
    this.#open -= 1
    const left = (this.#openBySource.get(source) ?? 0) - 1
    if (left > 0) this.#openBySource.set(source, left)
    else this.#openBySource.delete(source)
  }

  /** The connection waits for its ClientHello from now on, until `decided`. */
  wait(source: string, connection: Undecided): void {
    const neighbours = this.#undecidedBySource.get(source)
    if (neighbours && neighbours.size >= this.#limits.maxSniffingPerSource) this.#evictFirst(neighbours)
    else if (this.#undecided.size >= this.#limits.maxSniffing) this.#evictFirst(this.#undecided.keys())
    this.#undecided.set(connection, source)
    const ofSource = this.#undecidedBySource.get(source)
    if (ofSource) ofSource.add(connection)
    else this.#undecidedBySource.set(source, new Set([connection]))
  }

  decided(connection: Undecided): void {
    const source = this.#undecided.get(connection)
    if (source === undefined) return
    this.#undecided.delete(connection)
    const ofSource = this.#undecidedBySource.get(source)
    ofSource?.delete(connection)
    if (ofSource?.size === 0) this.#undecidedBySource.delete(source)
  }

  #evictFirst(crowd: Iterable<Undecided>): void {
    const [longestWaiting] = crowd
    if (!longestWaiting) return
    this.decided(longestWaiting)
    longestWaiting.evict()
  }
}
