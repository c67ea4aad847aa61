import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../runtime/observe/log.ts'
import { endLeftBehind, noteProgram } from './left-behind.ts'

export interface KeptProgramOptions {
  /** As the log calls it. */
  readonly name: string
  readonly command: readonly [program: string, ...args: string[]]
  readonly log: Logger
  /** Where its output goes; by default where oooi's own log goes. */
  readonly outputFd?: number | undefined
  /** Where it is noted what runs, so that one which outlived an oooi that was killed is ended before the next starts. */
  readonly noteFile?: string
  /** What has to be done before each start. */
  readonly beforeStart?: () => Promise<void>
}

const firstPauseMs = 200
const longestPauseMs = 10_000
const patienceMs = 5000

/** Somebody else's program that oooi runs itself, and starts again when it ends. */
export class KeptProgram {
  readonly #options: KeptProgramOptions
  readonly #stopping = new AbortController()
  #child: ChildProcess | undefined
  #running: Promise<void> | undefined

  constructor(options: KeptProgramOptions) {
    this.#options = options
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  start(): void {
    this.#running ??= this.#keepRunning()
  }

  /** Ended by itself from now on, it is not started again. `drain` is what may still be waited for. */
  async stop(drain?: () => Promise<void>): Promise<void> {
    this.#stopping.abort()
    await drain?.()
    const child = this.#child
    child?.kill('SIGTERM')
    const timer = setTimeout(() => child?.kill('SIGKILL'), patienceMs)
    await this.#running
    clearTimeout(timer)
  }

  async #keepRunning(): Promise<void> {
    const { name, log } = this.#options
    for (let pauseMs = firstPauseMs; !this.#stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const startedAtMs = performance.now()
      const end = await this.#runOnce()
      if (this.#stopping.signal.aborted) return
      if (performance.now() - startedAtMs > longestPauseMs) pauseMs = firstPauseMs
      log.error({ end, pauseMs }, `${name} has ended; it is started again`)
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
    }
  }

  async #runOnce(): Promise<string> {
    const { command, outputFd = 2, noteFile, beforeStart } = this.#options
    const [program, ...args] = command
    await beforeStart?.()
    if (noteFile !== undefined) await endLeftBehind(noteFile)
    // Its own group: a signal from the terminal would end it before it is drained.
    const child = spawn(program, args, { stdio: ['ignore', outputFd, outputFd], detached: true })
    this.#child = child
    if (noteFile !== undefined && child.pid !== undefined) this.#note(noteFile, child.pid)
    try {
      const [code, signal] = await once(child, 'exit')
      return signal === null ? `exit code ${code}` : String(signal)
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    } finally {
      this.#child = undefined
    }
  }

  #note(file: string, pid: number): void {
    const { name, command, log } = this.#options
    noteProgram(file, pid, command).catch((error: unknown) => {
      log.warn({ error: String(error) }, `what runs as ${name} could not be noted: if oooi is killed, end it by hand`)
    })
  }
}
