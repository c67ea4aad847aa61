import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DNSServer } from '../../api/dnsserver.ts'
import { serverAddressesOf } from '../../api/network.ts'
import { type CorednsOptions, renderCoredns } from '../../core/coredns/corefile.ts'
import { withheldDomains } from '../../core/dns/withheld.ts'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import { announce } from '../announce.ts'
import { readConfig } from '../dns/config.ts'
import type { Engine, EngineContext, EngineStatus } from '../engine.ts'
import { KeptProgram } from '../kept-program.ts'
import { endLeftBehind } from '../left-behind.ts'
import { filesNotWritten, forAbandoned, type ProgramDirectory, takeProgramDirectory } from '../program-directory.ts'
import { ConfigurationFiles } from './files.ts'
import { Observation } from './observation.ts'

export interface CorednsEngineOptions extends EngineContext {
  readonly stateDir: string
  /** A CoreDNS to run and keep running; without it one is expected to read the files by itself. */
  readonly program?: string | undefined
  readonly outputFd?: number
  /** Where CoreDNS is to show its metrics and readiness. */
  readonly observe?: CorednsOptions['observe']
  readonly clusterDomains?: readonly string[]
  /** How often CoreDNS is asked what it serves, while it does not serve the newest. */
  readonly askMs?: number
  /** After how long it is a problem that it does not. */
  readonly patienceMs?: number
}

export interface CorednsEngineStatus extends EngineStatus {
  /** The newest generation that CoreDNS was heard to serve, all of it. */
  readonly servingGeneration?: number
}

const askServedMs = 5000

/** CoreDNS answers, from files that oooi writes for it. */
export function createCorednsEngine(options: CorednsEngineOptions): Engine<DNSServer, CorednsEngineStatus> {
  return new CorednsEngine(options)
}

class CorednsEngine implements Engine<DNSServer, CorednsEngineStatus> {
  readonly #options: CorednsEngineOptions
  readonly #log: Logger
  #directory: ProgramDirectory | undefined
  readonly #stopping = new AbortController()
  #program: KeptProgram | undefined
  #announced: ReadonlySet<string> = new Set()
  #servingGeneration: number | undefined
  #problem: Problem | undefined
  /** Ends the watch over the version before. */
  #superseded = new AbortController()

  constructor(options: CorednsEngineOptions) {
    this.#options = options
    this.#log = options.log.child({ component: 'coredns' })
    const { metrics } = options
    metrics.gauge(
      { name: 'oooi_coredns_programmed', help: '1 when CoreDNS was heard to serve the newest version.' },
      () => [{ value: this.#servingGeneration !== undefined && this.#problem === undefined ? 1 : 0 }],
    )
  }

  async apply(server: DNSServer): Promise<Result<void>> {
    const config = readConfig(server, this.#options.podAddresses)
    if (!config.ok) return config
    const listen = this.#listenersOf(server)
    const place = await this.#place()
    if (!place.ok) return place
    const files = new ConfigurationFiles(place.value, this.#options.now)
    const rendered = renderCoredns(server, {
      zoneDirectory: files.directory,
      listen,
      clusterDomains: withheldDomains(this.#options.clusterDomains ?? ['cluster.local'], [], listen.pod),
      observe: this.#options.observe,
    })
    if (!rendered.ok) return rendered
    const { port, generation } = config.value
    try {
      const written = await files.write(rendered.value, port)
      this.#run(files)
      this.#announce(listen.vlan)
      this.#watch(new Observation(written, port, listen), generation, () => files.removeAllBut(rendered.value.zones))
      return ok()
    } catch (error) {
      return failed(filesNotWritten('CoreDNS', error))
    }
  }

  status(): CorednsEngineStatus {
    return {
      ...(this.#servingGeneration === undefined ? {} : { servingGeneration: this.#servingGeneration }),
      problems: this.#problem === undefined ? [] : [this.#problem],
    }
  }

  get programPid(): number | undefined {
    return this.#program?.pid
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#superseded.abort()
    await this.#program?.stop()
    await this.#directory?.release()
    this.#directory = undefined
  }

  /** Beside an earlier oooi, which still runs its own, the files are elsewhere. */
  async #place(): Promise<Result<string>> {
    const { stateDir, program } = this.#options
    if (program === undefined) return ok(join(stateDir, 'coredns'))
    if (this.#directory) return ok(this.#directory.path)
    try {
      this.#directory = await takeProgramDirectory(stateDir, 'coredns')
      await forAbandoned(stateDir, 'coredns', (path) => endLeftBehind(noteIn(path)))
      return ok(this.#directory.path)
    } catch (error) {
      return failed(filesNotWritten('CoreDNS', error))
    }
  }

  #listenersOf({ spec }: DNSServer): CorednsOptions['listen'] {
    return { vlan: serverAddressesOf(spec.networkConfig), pod: this.#options.podAddresses }
  }

  /** CoreDNS does not do it, and it has the same addresses. */
  #announce(addresses: readonly string[]): void {
    for (const address of addresses) if (!this.#announced.has(address)) announce(address)
    this.#announced = new Set(addresses)
  }

  #run(files: ConfigurationFiles): void {
    const { program, outputFd } = this.#options
    if (program === undefined || this.#program !== undefined) return
    this.#program = new KeptProgram({
      name: 'CoreDNS',
      command: [program, '-conf', files.corefile],
      log: this.#log,
      outputFd,
      noteFile: noteIn(files.directory),
    })
    this.#program.start()
  }

  #watch(observation: Observation, generation: number, cleanUp: () => Promise<void>): void {
    this.#superseded.abort()
    this.#superseded = new AbortController()
    const signal = AbortSignal.any([this.#superseded.signal, this.#stopping.signal])
    void this.#follow(observation, generation, cleanUp, signal).catch((error: unknown) => {
      if (!signal.aborted) this.#log.error({ error: String(error) }, 'CoreDNS could not be observed')
    })
  }

  /** Asks often until CoreDNS serves it, then now and then whether it still does. */
  async #follow(
    observation: Observation,
    generation: number,
    cleanUp: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { askMs = 250, patienceMs = 30_000 } = this.#options
    let waitingSinceMs = performance.now()
    let isServed = false
    while (!signal.aborted) {
      const missing = await observation.whatIsMissing()
      if (signal.aborted) return
      if (missing === undefined) {
        if (!isServed) await this.#served(generation, cleanUp)
        isServed = true
        this.#problem = undefined
        waitingSinceMs = performance.now()
      } else if (performance.now() - waitingSinceMs > patienceMs) this.#tell(missing)
      await sleep(missing === undefined ? askServedMs : askMs, undefined, { signal }).catch(() => {})
    }
  }

  async #served(generation: number, cleanUp: () => Promise<void>): Promise<void> {
    this.#servingGeneration = generation
    this.#problem = undefined
    this.#log.info({ generation }, 'CoreDNS serves the newest version')
    await cleanUp()
  }

  #tell(missing: string): void {
    const message = `${missing}; its own log says why`
    if (this.#problem?.message !== message) this.#log.error({ missing }, 'CoreDNS does not serve the newest version')
    this.#problem = { reason: 'CorednsNotServing', message }
  }
}

function noteIn(directory: string): string {
  return join(directory, 'program.json')
}
