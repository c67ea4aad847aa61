import { setTimeout as sleep } from 'node:timers/promises'
import type { TargetResolver } from '../proxy/targets/target-resolver.ts'

const refreshMs = 5000
const longestWaitMs = 2000

/** The addresses behind the names of targets, asked for again and again. */
export class TargetNames {
  readonly #resolver: TargetResolver
  readonly #onChange: () => void
  readonly #timer: NodeJS.Timeout
  #names: ReadonlySet<string> = new Set()
  #addresses: ReadonlyMap<string, readonly string[]> = new Map()

  constructor(resolver: TargetResolver, onChange: () => void) {
    this.#resolver = resolver
    this.#onChange = onChange
    this.#timer = setInterval(() => void this.#refresh(), refreshMs)
  }

  get addresses(): ReadonlyMap<string, readonly string[]> {
    return this.#addresses
  }

  /** Follows these from now on. Waits for their addresses, but not for long: a resolver that is down must not hold up the rest. */
  async follow(names: ReadonlySet<string>): Promise<void> {
    this.#names = names
    this.#resolver.keepOnly(names)
    await Promise.race([this.#refresh(), sleep(longestWaitMs, undefined, { ref: false })])
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #refresh(): Promise<void> {
    const addresses = await this.#ask()
    if (JSON.stringify([...addresses]) === JSON.stringify([...this.#addresses])) return
    this.#addresses = addresses
    this.#onChange()
  }

  async #ask(): Promise<ReadonlyMap<string, readonly string[]>> {
    const answers = [...this.#names].map(async (name) => {
      const addresses = await this.#resolver.resolve(name).catch(() => [])
      return [name, addresses.toSorted()] as const
    })
    return new Map(await Promise.all(answers))
  }
}
