import { lookup as systemLookup } from 'node:dns/promises'
import { isAddress } from '../../../core/proxy/backend.ts'

/** All addresses of a name, as the host resolves names. Throws when there are none. */
export type Lookup = (name: string) => Promise<readonly string[]>

const freshMs = 5000

interface Answer {
  readonly addresses: Promise<readonly string[]>
  readonly askedAtMs: number
  isPending: boolean
}

/**
 * The addresses of targets that are given by name, resolved when they are needed. One question at a time per name,
 * each answer good for some seconds; when the resolver fails, the last good answer is used on.
 */
export class TargetResolver {
  readonly #lookup: Lookup
  readonly #now: () => number
  readonly #answers = new Map<string, Answer>()
  readonly #lastGood = new Map<string, readonly string[]>()
  /** By host: itself where it is an address, null where it is a name. */
  readonly #written = new Map<string, readonly string[] | null>()

  constructor(now: () => number, lookup: Lookup = lookupAll) {
    this.#now = now
    this.#lookup = lookup
  }

  /** The one address of a host that is written as an address. Asked for each connection, so it is parsed once. */
  addressIn(host: string): readonly string[] | undefined {
    const known = this.#written.get(host)
    if (known !== undefined) return known ?? undefined
    const written = isAddress(host) ? [host] : undefined
    this.#written.set(host, written ?? null)
    return written
  }

  async resolve(host: string): Promise<readonly string[]> {
    const written = this.addressIn(host)
    if (written) return written
    const known = this.#answers.get(host)
    const nowMs = this.#now()
    if (known && (known.isPending || nowMs - known.askedAtMs < freshMs)) return known.addresses
    const answer = { addresses: this.#ask(host), askedAtMs: nowMs, isPending: true }
    this.#answers.set(host, answer)
    try {
      return await answer.addresses
    } finally {
      answer.isPending = false
    }
  }

  /** Forgets names that no backend has any more. */
  keepOnly(hosts: ReadonlySet<string>): void {
    for (const host of [...this.#answers.keys(), ...this.#lastGood.keys(), ...this.#written.keys()]) {
      if (hosts.has(host)) continue
      this.#answers.delete(host)
      this.#lastGood.delete(host)
      this.#written.delete(host)
    }
  }

  async #ask(host: string): Promise<readonly string[]> {
    try {
      const addresses = await this.#lookup(host)
      this.#lastGood.set(host, addresses)
      return addresses
    } catch (error) {
      const lastGood = this.#lastGood.get(host)
      if (lastGood) return lastGood
      this.#answers.delete(host)
      throw error
    }
  }
}

async function lookupAll(name: string): Promise<readonly string[]> {
  const answers = await systemLookup(name, { all: true, order: 'ipv4first' })
  return answers.map(({ address }) => address)
}
