import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { drainSeconds } from '../../core/proxy/envoy/tuning.ts'
import type { Logger } from '../../runtime/observe/log.ts'
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

const firstPauseMs = 200
const longestPauseMs = 10_000

/** An Envoy that oooi runs itself, and starts again when it ends. */
export class EnvoyProcess {
  readonly #options: EnvoyProcessOptions
  readonly #stopping = new AbortController()
  #child: ChildProcess | undefined
  #running: Promise<void> | undefined

  constructor(options: EnvoyProcessOptions) {
    this.#options = options
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  start(): void {
    this.#running ??= this.#keepRunning()
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort()
    if (graceMs > 0) await this.#drain(graceMs)
    const child = this.#child
    child?.kill('SIGTERM')
    const timer = setTimeout(() => child?.kill('SIGKILL'), 5000)
    await this.#running
    clearTimeout(timer)
  }

  async #keepRunning(): Promise<void> {
    for (let pauseMs = firstPauseMs; !this.#stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const startedAtMs = performance.now()
      const end = await this.#runOnce()
      if (this.#stopping.signal.aborted) return
      if (performance.now() - startedAtMs > longestPauseMs) pauseMs = firstPauseMs
      this.#options.log.error({ end, pauseMs }, 'Envoy has ended; it is started again')
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
    }
  }

  async #runOnce(): Promise<string> {
    const { program, bootstrapFile, logLevel, outputFd = 2 } = this.#options
    const drain = ['--drain-time-s', String(drainSeconds), '--drain-strategy', 'immediate']
    const rest = ['--disable-hot-restart', '--concurrency', '2', '--file-flush-interval-msec', '1000']
    await this.#endForerunner()
    const child = spawn(program, ['-c', bootstrapFile, '-l', logLevel, ...drain, ...rest], {
      stdio: ['ignore', outputFd, outputFd],
      // Its own group: a signal from the terminal would end it before it is drained.
      detached: true,
    })
    this.#child = child
    try {
      const [code, signal] = await once(child, 'exit')
      return signal === null ? `exit code ${code}` : String(signal)
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    } finally {
      this.#child = undefined
    }
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
