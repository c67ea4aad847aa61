import type { Problem } from '../../core/result.ts'
import type { Engine, EngineStatus } from '../../engines/engine.ts'
import type { Sample } from '../../runtime/observe/metrics.ts'
import type { Served } from '../standalone/serve.ts'
import { SingleEngine } from '../standalone/single.ts'
import type { ComponentReport } from '../standalone/slot.ts'
import type { StatusWriter } from './status-writer.ts'

interface PodEngineOptions<Resource, Status extends EngineStatus> {
  readonly name: string
  readonly create: () => Engine<Resource, Status>
  readonly writer: (read: () => Report<Status>) => StatusWriter
  readonly afterStop: () => Promise<void>
}

/** What there is to tell the API server. */
export interface Report<Status> {
  /** Undefined while nothing is served. */
  readonly status: Status | undefined
  /** Why the newest version of the object is not served. */
  readonly refusals: readonly Problem[]
}

/** One engine, as standalone runs it, that also tells the API server what it does. */
export class PodEngine<Resource, Status extends EngineStatus> implements Served<Resource> {
  readonly #options: PodEngineOptions<Resource, Status>
  readonly #single: SingleEngine<Resource, Status>
  readonly #writer: StatusWriter

  constructor(options: PodEngineOptions<Resource, Status>) {
    this.#options = options
    this.#single = new SingleEngine(options.name, options.create)
    this.#writer = options.writer(() => ({ status: this.#single.status(), refusals: this.#single.refusals }))
    this.#writer.start()
  }

  async apply(resource: Resource): Promise<readonly Problem[]> {
    const problems = await this.#single.apply(resource)
    this.#writer.look()
    return problems
  }

  async retry(): Promise<readonly Problem[]> {
    const problems = await this.#single.retry()
    this.#writer.look()
    return problems
  }

  refuse(problems: readonly Problem[]): void {
    this.#single.refuse(problems)
    this.#writer.look()
  }

  reports(): readonly ComponentReport[] {
    return this.#single.reports()
  }

  get problems(): readonly Problem[] {
    return this.#single.problems
  }

  statusWrites(): Sample[] {
    const { writes, failures } = this.#writer.stats
    return [
      { labels: { result: 'done' }, value: writes },
      { labels: { result: 'failed' }, value: failures },
    ]
  }

  async stop(graceMs: number): Promise<void> {
    await Promise.all([this.#writer.stop(), this.#single.stop(graceMs)])
    await this.#options.afterStop()
  }
}
