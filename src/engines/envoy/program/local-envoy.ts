import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { bootstrapOf } from '../../../core/proxy/envoy/bootstrap.ts'
import { type EnvoyFiles, envoyFiles, envoyFilesIn } from '../../../core/proxy/envoy/program.ts'
import type { Logger } from '../../../runtime/observe/log.ts'
import { forAbandoned, type ProgramDirectory, takeProgramDirectory } from '../../program-directory.ts'
import { EnvoyProcess, endForerunner } from './envoy-process.ts'

export interface LocalEnvoyOptions {
  /** For the bootstrap and the administration socket. */
  readonly stateDir: string
  /** An Envoy to run and keep running; without it one is expected to connect by itself. */
  readonly program?: string
  readonly outputFd?: number
}

/** The Envoy on this host: the files it shares with oooi, and its process where oooi runs it. */
export class LocalEnvoy {
  readonly #options: LocalEnvoyOptions
  readonly #log: Logger
  /** Of an Envoy that oooi runs. */
  #directory: ProgramDirectory | undefined
  #process: EnvoyProcess | undefined

  constructor(options: LocalEnvoyOptions, log: Logger) {
    this.#options = options
    this.#log = log
  }

  get isOurs(): boolean {
    return this.#options.program !== undefined
  }

  get pid(): number | undefined {
    return this.#process?.pid
  }

  get adminSocket(): string {
    return this.#files.adminSocket
  }

  /** Writes what it starts with, and starts it where it is ours. What fails may be tried again. */
  async start(xdsPort: number, nodeId: string): Promise<void> {
    if (this.isOurs) await this.#takeDirectory()
    const { program, outputFd } = this.#options
    const { bootstrap: bootstrapFile, adminSocket } = this.#files
    await mkdir(dirname(bootstrapFile), { recursive: true })
    await writeFile(bootstrapFile, `${JSON.stringify(bootstrapOf({ nodeId, xdsPort, adminSocket }), null, 2)}\n`)
    this.#log.info({ xdsPort, bootstrapFile }, 'waiting for Envoy')
    if (program === undefined) return
    this.#process = new EnvoyProcess({
      program,
      bootstrapFile,
      adminSocket,
      log: this.#log,
      ...(outputFd === undefined ? {} : { outputFd }),
    })
    this.#process.start()
  }

  stop(graceMs: number): Promise<void> {
    return this.#process?.stop(graceMs) ?? Promise.resolve()
  }

  /** The files may be another's from now on. */
  async leaveDirectory(): Promise<void> {
    await this.#directory?.release()
    this.#directory = undefined
  }

  get #files(): EnvoyFiles {
    return this.#directory ? envoyFilesIn(this.#directory.path) : envoyFiles(this.#options.stateDir)
  }

  async #takeDirectory(): Promise<void> {
    const { stateDir } = this.#options
    this.#directory ??= await takeProgramDirectory(stateDir, 'envoy')
    await forAbandoned(stateDir, 'envoy', (path) => endForerunner(envoyFilesIn(path).adminSocket))
  }
}
