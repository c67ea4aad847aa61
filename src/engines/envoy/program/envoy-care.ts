import type { Logger } from '../../../runtime/observe/log.ts'
import { drainEnvoy } from './drain.ts'
import { EnvoyAdmin } from './envoy-admin.ts'
import { type TargetHealth, TargetHealthBook } from './target-health.ts'

export interface EnvoyCareOptions {
  /** It is known when the engine has opened. */
  readonly adminSocket: () => string
  readonly log: Logger
  /** How often Envoy is asked how the targets are. */
  readonly askHealthMs: number
}

/** What passes between oooi and a running Envoy besides its configuration: its level of logging, how the targets are, its end. */
export class EnvoyCare {
  readonly #adminSocket: () => string
  readonly #log: Logger
  readonly #book = new TargetHealthBook()
  readonly #timer: NodeJS.Timeout
  #health: ReadonlyMap<string, TargetHealth> = new Map()
  #toldLevel: string | undefined

  constructor({ adminSocket, log, askHealthMs }: EnvoyCareOptions) {
    this.#adminSocket = adminSocket
    this.#log = log
    this.#timer = setInterval(() => this.#askHealth(), askHealthMs)
  }

  /** By backend. Envoy alone sees the targets: of one that is not there, or says nothing, nothing is known. */
  get health(): ReadonlyMap<string, TargetHealth> {
    return this.#health
  }

  /** To every Envoy that comes, and when it changes. One that does not hear it now is told when it is there. */
  tellLogLevel(level: string | undefined, isConnected: boolean): void {
    const isNews = isConnected && this.#toldLevel !== level
    if (!isConnected) this.#toldLevel = undefined
    if (level === undefined || !isNews) return
    this.#toldLevel = level
    this.#admin.setLogLevel(level).catch((error: unknown) => {
      this.#toldLevel = undefined
      this.#log.debug({ error: String(error) }, 'Envoy does not take its level of logging yet')
    })
  }

  get #admin(): EnvoyAdmin {
    return new EnvoyAdmin(this.#adminSocket())
  }

  drain(graceMs: number): Promise<void> {
    return drainEnvoy(this.#admin, graceMs, this.#log)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #askHealth(): void {
    this.#admin.clusters().then(
      (document) => {
        this.#health = this.#book.learn(document)
      },
      () => {
        this.#health = new Map()
      },
    )
  }
}
