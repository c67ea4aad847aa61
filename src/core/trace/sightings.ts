/** How far one client came, as one engine saw it. */
export interface Sighting {
  readonly address: string
  /** What it got: names that were answered, backends that it was connected to. */
  readonly reached: readonly string[]
  /** What it asked for and never got. */
  readonly failing: readonly { readonly name: string; readonly error: string }[]
  /** When that last changed. */
  readonly changedMs: number
}

interface Client {
  readonly reached: Set<string>
  readonly failing: Map<string, string>
  changedMs: number
  seenMs: number
  /** When it got its place among the idle ones. */
  placedMs: number
  open: number
}

/** A whole VLAN of machines; one that was quiet for long gives way. */
const mostClients = 1024
const mostThings = 16
const longestError = 200
/** Without a sign of life and without an open connection it is not running: what comes next is another boot. */
const forgottenAfterMs = 30 * 60_000

/**
 * What each client reached so far. It changes only when somebody reaches something for the first time, or fails to while
 * never having reached it: a VLAN in which everything runs changes nothing here, however busy it is.
 */
export class Sightings {
  /**
   * Those without a connection, in the order they got their place. Who was seen since then gets a new one when room is
   * made, and not at each sight: so neither a busy client nor a stranger costs more than a few steps.
   */
  readonly #idle = new Map<string, Client>()
  /** Goes on where it stopped: a new one would step over all that is gone, each time. */
  #oldestIdle = this.#idle.entries()
  readonly #connected = new Map<string, Client>()

  reached(address: string, name: string, nowMs: number): void {
    const client = this.#client(address, nowMs)
    client.seenMs = nowMs
    if (client.reached.has(name) || client.reached.size >= mostThings) return
    client.reached.add(name)
    client.failing.delete(name)
    client.changedMs = nowMs
  }

  failed(address: string, name: string, error: string, nowMs: number): void {
    const client = this.#client(address, nowMs)
    client.seenMs = nowMs
    if (client.reached.has(name) || client.failing.has(name) || client.failing.size >= mostThings) return
    client.failing.set(name, error.slice(0, longestError))
    client.changedMs = nowMs
  }

  /** Whoever has a connection open is there, however quiet. */
  opened(address: string, nowMs: number): void {
    const client = this.#client(address, nowMs)
    client.open += 1
    this.#idle.delete(address)
    this.#connected.set(address, client)
  }

  closed(address: string, nowMs: number): void {
    const client = this.#connected.get(address)
    if (client === undefined) return
    client.open -= 1
    client.seenMs = nowMs
    if (client.open > 0) return
    this.#connected.delete(address)
    this.#place(address, client)
  }

  list(nowMs: number): Sighting[] {
    for (const [address, { seenMs }] of this.#idle) {
      if (nowMs - seenMs > forgottenAfterMs) this.#idle.delete(address)
    }
    return [...this.#idle, ...this.#connected]
      .filter(([, { reached, failing }]) => reached.size + failing.size > 0)
      .map(([address, { reached, failing, changedMs }]) => ({
        address,
        reached: [...reached].toSorted(),
        failing: Array.from(failing, ([name, error]) => ({ name, error })),
        changedMs,
      }))
      .toSorted((one, other) => (one.address < other.address ? -1 : 1))
  }

  #client(address: string, nowMs: number): Client {
    const known = this.#idle.get(address) ?? this.#connected.get(address)
    if (known) return known
    if (this.#idle.size + this.#connected.size >= mostClients) this.#makeRoom()
    const [reached, failing] = [new Set<string>(), new Map<string, string>()]
    const client = { reached, failing, changedMs: nowMs, seenMs: nowMs, placedMs: nowMs, open: 0 }
    this.#idle.set(address, client)
    return client
  }

  #place(address: string, client: Client): void {
    client.placedMs = client.seenMs
    this.#idle.delete(address)
    this.#idle.set(address, client)
  }

  #makeRoom(): void {
    for (let next = this.#nextIdle(); next !== undefined; next = this.#nextIdle()) {
      const [address, client] = next
      if (client.seenMs === client.placedMs) {
        this.#idle.delete(address)
        return
      }
      this.#place(address, client)
    }
    const [oldest] = this.#connected.keys()
    if (oldest !== undefined) this.#connected.delete(oldest)
  }

  #nextIdle(): [string, Client] | undefined {
    const next = this.#oldestIdle.next()
    if (!next.done) return next.value
    // It has come to an end, which is for good, though others came since.
    this.#oldestIdle = this.#idle.entries()
    return this.#oldestIdle.next().value
  }
}
