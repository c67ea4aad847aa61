import { formatIpv4 } from '../../../core/net/ipv4.ts'
import { readNeighbours } from '../../neighbours/table.ts'

export interface ProberParts {
  /** Send anything at all to that address. */
  readonly knock: (address: number) => void
  /** The text of the neighbour table. */
  readonly neighbours: () => Promise<string>
  readonly monotonicMs: () => number
}

/** Who uses the address, by MAC; undefined if nobody answered. */
type Answer = (user: string | undefined) => void

/** Half of what makes the kernel collect neighbours, shared with the machines it has to know anyway. */
const mostInFlight = 128
const lookEveryMs = 20

/**
 * Finds out whether somebody uses an address, as an ordinary user: any datagram to it makes the kernel ask by ARP, and
 * the answer shows in the neighbour table. All questions under way share one look at it.
 */
export class Prober {
  readonly #parts: ProberParts
  readonly #waiting = new Map<number, { readonly untilMs: number; readonly answer: Answer }>()
  #timer: NodeJS.Timeout | undefined

  constructor(parts: ProberParts) {
    this.#parts = parts
  }

  isAsking(address: number): boolean {
    return this.#waiting.has(address)
  }

  /** False if there are too many questions under way: then there is no answer. */
  ask(address: number, timeoutMs: number, answer: Answer): boolean {
    if (this.#waiting.size >= mostInFlight) return false
    this.#waiting.set(address, { untilMs: this.#parts.monotonicMs() + timeoutMs, answer })
    this.#parts.knock(address)
    this.#lookSoon()
    return true
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting.clear()
  }

  #lookSoon(): void {
    if (this.#timer !== undefined || this.#waiting.size === 0) return
    this.#timer = setTimeout(() => void this.#look(), lookEveryMs)
  }

  async #look(): Promise<void> {
    // Where the table cannot be read nobody is seen, and the wait is in vain; that is no reason to serve nobody.
    const known = readNeighbours(await this.#parts.neighbours().catch(() => ''))
    const nowMs = this.#parts.monotonicMs()
    for (const [address, { untilMs, answer }] of this.#waiting) {
      const user = known.get(formatIpv4(address))
      if (user === undefined && nowMs < untilMs) continue
      this.#waiting.delete(address)
      answer(user)
    }
    this.#timer = undefined
    this.#lookSoon()
  }
}
