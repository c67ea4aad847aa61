import { setTimeout as sleep } from 'node:timers/promises'
import { envoyArguments } from '../../../core/proxy/envoy/program.ts'
import type { Logger } from '../../../runtime/observe/log.ts'
import { KeptProgram } from '../../kept-program.ts'
import { drainEnvoy } from './drain.ts'
import { EnvoyAdmin } from './envoy-admin.ts'

export interface EnvoyProcessOptions {
  readonly program: string
  readonly bootstrapFile: string
  readonly adminSocket: string
  readonly log: Logger
  /** Where its log and access log go; by default where oooi's own log goes. */
  readonly outputFd?: number
}

/** An Envoy that oooi runs itself, and starts again when it ends. */
export class EnvoyProcess {
  readonly #options: EnvoyProcessOptions
  readonly #program: KeptProgram

  constructor(options: EnvoyProcessOptions) {
    const { program, bootstrapFile, adminSocket, log, outputFd } = options
    this.#options = options
    this.#program = new KeptProgram({
      name: 'Envoy',
      command: [program, ...envoyArguments(bootstrapFile)],
      log,
      outputFd,
      beforeStart: () => endForerunner(adminSocket),
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

  #drain(graceMs: number): Promise<void> {
    return drainEnvoy(new EnvoyAdmin(this.#options.adminSocket), graceMs, this.#options.log)
  }
}

/** An oooi that was killed leaves its Envoy behind, and both would share the port. */
export async function endForerunner(adminSocket: string): Promise<void> {
  const admin = new EnvoyAdmin(adminSocket)
  const isThere = () =>
    admin.ask('GET', '/ready').then(
      () => true,
      (error: Error) => !/ENOENT|ECONNREFUSED/.test(error.message),
    )
  await admin.ask('POST', '/quitquitquit').catch(() => {})
  for (const deadlineMs = performance.now() + 2000; performance.now() < deadlineMs && (await isThere()); )
    await sleep(20)
}
