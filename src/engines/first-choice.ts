import { failed, type Problem, type Result } from '../core/result.ts'
import type { Engine, EngineStatus, Release } from './engine.ts'
import { release } from './release.ts'

interface Served {
  readonly kind: string
  readonly metadata: { readonly name: string }
}

interface Choice<Name extends string, Resource, Status extends EngineStatus> {
  create(name: Name): Engine<Resource, Status>
  /** Ends the sentence "cannot change to the other one". */
  readonly priceOfChange: string
}

/**
 * The engine that an object asks for first serves it until the process ends: two engines want the same ports, and
 * neither has the cache or the connections of the other. In a cluster a new pod takes over.
 */
export class FirstChoice<Name extends string, Resource extends Served, Status extends EngineStatus> {
  readonly #choice: Choice<Name, Resource, Status>
  #made: { readonly name: Name; readonly engine: Engine<Resource, Status> } | undefined

  constructor(choice: Choice<Name, Resource, Status>) {
    this.#choice = choice
  }

  async apply(resource: Resource, wanted: Name): Promise<Result<void>> {
    this.#made ??= { name: wanted, engine: this.#choice.create(wanted) }
    const { name, engine } = this.#made
    return name === wanted ? engine.apply(resource) : failed(this.#cannotChange(resource, name, wanted))
  }

  /** None before the first object came. */
  status(): Status | undefined {
    return this.#made?.engine.status()
  }

  async stop(graceMs: number): Promise<void> {
    await this.#made?.engine.stop(graceMs)
  }

  get programPid(): number | undefined {
    return this.#made?.engine.programPid
  }

  release(graceMs: number): Promise<Release> {
    return release(this.#made?.engine, graceMs)
  }

  #cannotChange({ kind, metadata }: Resource, running: Name, wanted: Name): Problem {
    return {
      reason: 'InvalidField',
      field: 'spec.engine',
      message: `${kind} ${metadata.name} runs with engine ${running} and cannot change to ${wanted} ${this.#choice.priceOfChange}; restart oooi to do so.`,
    }
  }
}
