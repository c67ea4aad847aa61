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
  open: number
}

/** A whole VLAN of machines; the one that was quiet for longest gives way. */
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
  /** In the order they were last seen, roughly: only a new one is put at the end. */
  readonly #clients = new Map<string, Client>()

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
    this.#client(address, nowMs).open += 1
  }

  closed(address: string, nowMs: number): void {
    const client = this.#clients.get(address)
    if (client === undefined) return
    client.open -= 1
    client.seenMs = nowMs
  }

  list(nowMs: number): Sighting[] {
    for (const [address, { open, seenMs }] of this.#clients) {
      if (open <= 0 && nowMs - seenMs > forgottenAfterMs) this.#clients.delete(address)
    }
    const seen = [...this.#clients].filter(([, { reached, failing }]) => reached.size + failing.size > 0)
    return seen
      .map(([address, { reached, failing, changedMs }]) => ({
        address,
        reached: [...reached].toSorted(),
        failing: Array.from(failing, ([name, error]) => ({ name, error })),
        changedMs,
      }))
      .toSorted((one, other) => (one.address < other.address ? -1 : 1))
  }

  #client(address: string, nowMs: number): Client {
    const known = this.#clients.get(address)
    if (known) return known
    if (this.#clients.size >= mostClients) this.#makeRoom()
    const client = { reached: new Set<string>(), failing: new Map(), changedMs: nowMs, seenMs: nowMs, open: 0 }
    this.#clients.set(address, client)
    return client
  }

  #makeRoom(): void {
    let quietest: string | undefined
    let seenMs = Number.POSITIVE_INFINITY
    for (const [address, client] of this.#clients) {
      if (client.open > 0 || client.seenMs >= seenMs) continue
      quietest = address
      seenMs = client.seenMs
    }
    quietest ??= this.#clients.keys().next().value
    if (quietest !== undefined) this.#clients.delete(quietest)
  }
}
