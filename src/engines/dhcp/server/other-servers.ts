import { formatIpv4 } from '../../../core/net/ipv4.ts'

/** Without another sign of it, a server counts as gone. A client names its server once in each boot. */
const forgottenAfterMs = 60 * 60 * 1000
const most = 8

/**
 * Other DHCP servers, as far as clients speak of them: a client that takes the offer of another server says so to
 * everybody. What that server itself sends does not reach an ordinary socket.
 */
export class OtherServers {
  /** By address, in the order they were last heard of. */
  readonly #lastMs = new Map<number, number>()

  /** Returns whether it is news. */
  note(address: number, nowMs: number): boolean {
    const isNew = !this.#lastMs.delete(address)
    this.#lastMs.set(address, nowMs)
    const [oldest] = this.#lastMs.keys()
    if (this.#lastMs.size > most && oldest !== undefined) this.#lastMs.delete(oldest)
    return isNew
  }

  heardOf(nowMs: number): string[] {
    for (const [address, lastMs] of this.#lastMs) if (nowMs - lastMs > forgottenAfterMs) this.#lastMs.delete(address)
    return Array.from(this.#lastMs.keys(), formatIpv4)
  }
}
