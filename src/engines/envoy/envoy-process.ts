import { setTimeout as sleep } from 'node:timers/promises'
import { drainSeconds } from '../../core/proxy/envoy/tuning.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import { KeptProgram } from '../kept-program.ts'
import { EnvoyAdmin } from './envoy-admin.ts'

export interface EnvoyProcessOptions {
  readonly program: string
  readonly bootstrapFile: string
  readonly adminSocket: string
  readonly logLevel: string
  readonly log: Logger
  /** Where its log and access log go; by default where oooi's own log goes. */
  readonly outputFd?: number
}

/** An Envoy that oooi runs itself, and starts again when it ends. */
export class EnvoyProcess {
  readonly #options: EnvoyProcessOptions
  readonly #program: KeptProgram

  constructor(options: EnvoyProcessOptions) {
    const { program, bootstrapFile, logLevel, log, outputFd } = options
    const drain = ['--drain-time-s', String(drainSeconds), '--drain-strategy', 'immediate']
    const rest = ['--disable-hot-restart', '--concurrency', '2', '--file-flush-interval-msec', '1000']
    this.#options = options
    this.#program = new KeptProgram({
      name: 'Envoy',
      command: [program, '-c', bootstrapFile, '-l', logLevel, ...drain, ...rest],
      log,
      outputFd,
      beforeStart: () => this.#endForerunner(),
    })
  }

  get pid(): number | undefined {
    return this.#program.pid
  }

  start(): void {
    this.#program.start()
  }

  stop(graceMs: number): Promise<void> {
    return this.#program.stop(graceMs > 0 ? () => this.#drain(graceMs) : undefined)
  }

  /** An oooi that was killed leaves its Envoy behind, and both would share the port. */
  async #endForerunner(): Promise<void> {
    const admin = new EnvoyAdmin(this.#options.adminSocket)
    const isThere = () =>
      admin.ask('GET', '/ready').then(
        () => true,
        (error: Error) => !/ENOENT|ECONNREFUSED/.test(error.message),
      )
    await admin.ask('POST', '/quitquitquit').catch(() => {})
    for (const deadlineMs = performance.now() + 2000; performance.now() < deadlineMs && (await isThere()); )
      await sleep(20)
  }

  /** Until the last connection has ended, or the time is over, or nobody answers. */
  async #drain(graceMs: number): Promise<void> {
    const admin = new EnvoyAdmin(this.#options.adminSocket)
    const deadlineMs = performance.now() + graceMs
    try {
      await admin.drain()
      while (performance.now() < deadlineMs && (await admin.openConnections()) > 0) await sleep(200)
    } catch (error) {
      this.#options.log.warn({ error: String(error) }, 'Envoy could not be drained')
    }
  }
}
