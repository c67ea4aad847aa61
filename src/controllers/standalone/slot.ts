import type { Problem } from '../../core/result.ts'
import type { Engine, EngineStatus, Release } from '../../engines/engine.ts'
import { release } from '../../engines/release.ts'

/** What a component says of itself in `oooi status`. */
export interface ComponentReport {
  readonly name: string
  /** Serving the newest version that was wanted. */
  readonly ready: boolean
  /** Serving some version, maybe an older one. */
  readonly serving: boolean
  readonly problems: readonly Problem[]
  readonly status?: unknown
}

/** The place of one engine: started when its resource appears, changed with it, stopped when it goes. */
export class Slot<Resource, Status extends EngineStatus, SomeEngine extends Engine<Resource, Status>> {
  readonly #name: string
  readonly #create: () => SomeEngine
  #engine: SomeEngine | undefined
  #refusals: readonly Problem[] = []

  constructor(name: string, create: () => SomeEngine) {
    this.#name = name
    this.#create = create
  }

  get engine(): SomeEngine | undefined {
    return this.#engine
  }

  /** Why the newest version is not served; none if it is. */
  get refusals(): readonly Problem[] {
    return this.#refusals
  }

  /** The same, and what of the served version does not work at the moment. */
  get problems(): readonly Problem[] {
    return [...this.#refusals, ...(this.#engine?.status().problems ?? [])]
  }

  /** A version that cannot be served leaves the one before it in place; an engine that never served is not kept. */
  async apply(wanted: Resource | undefined, graceMs: number): Promise<void> {
    if (wanted === undefined) return this.stop(graceMs)
    const engine = this.#engine ?? this.#create()
    const result = await engine.apply(wanted)
    this.#refusals = result.ok ? [] : result.problems
    if (result.ok) this.#engine = engine
    else if (engine !== this.#engine) await engine.stop(0)
  }

  async stop(graceMs: number): Promise<void> {
    const engine = this.#engine
    this.#engine = undefined
    this.#refusals = []
    await engine?.stop(graceMs)
  }

  async release(graceMs: number): Promise<Release> {
    const engine = this.#engine
    this.#engine = undefined
    this.#refusals = []
    return release(engine, graceMs)
  }

  report(): ComponentReport {
    return {
      name: this.#name,
      ready: this.#engine !== undefined && this.#refusals.length === 0,
      serving: this.#engine !== undefined,
      problems: this.problems,
      ...(this.#engine ? { status: this.#engine.status() } : {}),
    }
  }
}
