import { openSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { provideEnvoy } from '../../../../tools/envoy/provide.ts'
import { envoyFiles } from '../../../core/proxy/envoy/program.ts'
import { type BackendInput, proxyServer } from '../../../core/proxy/testing.ts'
import { until } from '../../../lab/testing.ts'
import { createLogger } from '../../../runtime/observe/log.ts'
import { Metrics } from '../../../runtime/observe/metrics.ts'
import { createEnvoyEngine, type EnvoyEngine, type EnvoyEngineOptions } from '../engine.ts'
import { EnvoyAdmin } from '../program/envoy-admin.ts'
import { EnvoyProcess } from '../program/envoy-process.ts'

export const vlanAddress = '127.0.0.1'
export const podAddress = '127.0.0.2'

/** A real Envoy on loopback, told by our discovery service what to do. Targets may be on loopback too. */
export class EnvoyFixture {
  readonly directory: string
  readonly metrics = new Metrics()
  readonly #options: Partial<EnvoyEngineOptions>
  readonly #program: string
  readonly #outputFd: number
  #generation = 0
  engine: EnvoyEngine

  private constructor(directory: string, program: string, options: Partial<EnvoyEngineOptions>) {
    this.directory = directory
    this.#program = program
    this.#options = options
    this.#outputFd = openSync(join(directory, 'envoy.log'), 'a')
    this.engine = this.#create()
  }

  static async start(options: Partial<EnvoyEngineOptions> = {}): Promise<EnvoyFixture> {
    const directory = await mkdtemp(join(tmpdir(), 'oooi-envoy-'))
    return new EnvoyFixture(directory, await provideEnvoy(process.env), options)
  }

  get admin(): EnvoyAdmin {
    return new EnvoyAdmin(envoyFiles(this.directory).adminSocket)
  }

  /** What Envoy itself says. */
  get envoyLog(): string {
    return readFileSync(join(this.directory, 'envoy.log'), 'utf8')
  }

  /** A second control plane, after the first was stopped. It starts no Envoy of its own unless told so. */
  replaceEngine(options: Partial<EnvoyEngineOptions> & { readonly withoutEnvoy?: boolean }): void {
    this.engine = this.#create(options)
  }

  /** An Envoy that is nobody's child here, as in a pod; after the engine has written what it starts with. */
  startNeighbour(bootstrapFile = envoyFiles(this.directory).bootstrap): AsyncDisposable {
    const { adminSocket } = envoyFiles(this.directory)
    const log = createLogger('silent', { write: () => {} })
    const outputFd = this.#outputFd
    const neighbour = new EnvoyProcess({ program: this.#program, bootstrapFile, adminSocket, log, outputFd })
    neighbour.start()
    return { [Symbol.asyncDispose]: () => neighbour.stop(0) }
  }

  /** Applies it and waits until Envoy has it. */
  async serve(backends: BackendInput[], status?: Parameters<typeof proxyServer>[0]['status']): Promise<void> {
    await this.apply(backends, status)
    await this.programmed()
  }

  async apply(backends: BackendInput[], status?: Parameters<typeof proxyServer>[0]['status']): Promise<void> {
    this.#generation += 1
    const input = { backends, serverIP: vlanAddress, generation: this.#generation }
    const result = await this.engine.apply(proxyServer(status ? { ...input, status } : input))
    if (!result.ok) throw new Error(JSON.stringify(result.problems))
  }

  async programmed(): Promise<void> {
    await until('a programmed Envoy', () => (this.engine.status().programmed ? true : undefined), 20_000).catch(() => {
      throw new Error(`${JSON.stringify(this.engine.status())}\n${this.envoyLog.slice(-4000)}`)
    })
    // Envoy takes its first listeners a moment before it serves them.
    await until('a live Envoy', () => this.admin.ask('GET', '/ready').catch(() => undefined), 20_000)
  }

  /** The sum of all counters whose name ends so. */
  async stat(ending: string): Promise<number> {
    const text = await this.admin.ask('GET', '/stats')
    const lines = text.split('\n').filter((line) => line.split(':')[0]?.endsWith(ending))
    return lines.reduce((sum, line) => sum + Number(line.split(': ')[1] ?? 0), 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine.stop(0)
    await rm(this.directory, { recursive: true, force: true })
  }

  #create({ withoutEnvoy, ...options }: Partial<EnvoyEngineOptions> & { withoutEnvoy?: boolean } = {}): EnvoyEngine {
    return createEnvoyEngine({
      log: createLogger('silent', { write: () => {} }),
      metrics: this.metrics,
      now: Date.now,
      podAddresses: [podAddress],
      stateDir: this.directory,
      ...(withoutEnvoy ? {} : { program: this.#program }),
      outputFd: this.#outputFd,
      isTargetAllowed: () => true,
      xdsPort: 0,
      ...this.#options,
      ...options,
    })
  }
}
