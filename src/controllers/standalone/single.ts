import type { Problem } from '../../core/result.ts'
import type { Engine, EngineStatus } from '../../engines/engine.ts'
import { Turns } from '../../runtime/time/turns.ts'
import type { Served } from './serve.ts'
import { type ComponentReport, Slot } from './slot.ts'

/** One engine on its own, fed with its own kind. */
export class SingleEngine<Resource, Status extends EngineStatus> implements Served<Resource> {
  readonly #slot: Slot<Resource, Status, Engine<Resource, Status>>
  #wanted: Resource | undefined
  #refused: readonly Problem[] = []
  readonly #turns = new Turns()

  constructor(name: string, create: () => Engine<Resource, Status>) {
    this.#slot = new Slot(name, create)
  }

  async apply(resource: Resource): Promise<readonly Problem[]> {
    this.#wanted = resource
    this.#refused = []
    return this.retry()
  }

  async retry(): Promise<readonly Problem[]> {
    await this.#turns.take(() => this.#slot.apply(this.#wanted, 0))
    return this.#slot.refusals
  }

  refuse(problems: readonly Problem[]): void {
    this.#refused = problems
  }

  reports(): readonly ComponentReport[] {
    return this.#wanted === undefined ? [] : [this.#slot.report()]
  }

  /** What the engine says of itself; undefined while nothing is served. */
  status(): Status | undefined {
    return this.#slot.engine?.status()
  }

  /** Why the newest version is not served; none if it is. */
  get refusals(): readonly Problem[] {
    return [...this.#refused, ...this.#slot.refusals]
  }

  get problems(): readonly Problem[] {
    return [...this.#refused, ...this.#slot.problems]
  }

  stop(graceMs: number): Promise<void> {
    return this.#turns.take(() => this.#slot.stop(graceMs))
  }
}
