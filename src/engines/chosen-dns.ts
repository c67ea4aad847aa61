import type { DNSServer } from '../api/dnsserver.ts'
import { serverAddressesOf } from '../api/network.ts'
import { failed, type Problem, type Result } from '../core/result.ts'
import { type CorednsEngineStatus, createCorednsEngine } from './coredns/engine.ts'
import { createDnsEngine, type DnsEngineStatus } from './dns/engine.ts'
import type { Engine, EngineContext, Release } from './engine.ts'
import { FirstChoice } from './first-choice.ts'
import { PathProbe } from './paths/path-probe.ts'

export interface ChosenDnsOptions extends EngineContext {
  readonly stateDir: string
  /** A CoreDNS to run, or the one in the container beside this one; without either there is only our own engine. */
  readonly coredns?: { readonly program: string; readonly outputFd?: number } | 'beside' | undefined
}

export type ChosenDnsStatus = DnsEngineStatus | CorednsEngineStatus

type EngineName = DNSServer['spec']['engine']

/** Of the container beside this one; nobody else has the pod's address. */
const besidePorts = { metrics: 9153, ready: 8181 }

/** The engine that the DNSServer asks for. */
export function createChosenDnsEngine(options: ChosenDnsOptions): Engine<DNSServer, ChosenDnsStatus> {
  return new ChosenDnsEngine(options)
}

class ChosenDnsEngine implements Engine<DNSServer, ChosenDnsStatus> {
  readonly #options: ChosenDnsOptions
  readonly #paths: PathProbe
  readonly #chosen = new FirstChoice<EngineName, DNSServer, ChosenDnsStatus>({
    create: (name) => this.#create(name),
    priceOfChange: 'while it runs',
  })

  constructor(options: ChosenDnsOptions) {
    this.#options = options
    this.#paths = new PathProbe(options)
  }

  async apply(server: DNSServer): Promise<Result<void>> {
    const wanted = server.spec.engine
    if (wanted === 'coredns' && this.#options.coredns === undefined) return failed(corednsMissing(server))
    const applied = await this.#chosen.apply(server, wanted)
    const [address] = serverAddressesOf(server.spec.networkConfig)
    const port = server.spec.networkConfig.dnsPort
    if (applied.ok)
      this.#paths.follow(server.status?.resolved?.paths ?? [], address === undefined ? undefined : { address, port })
    return applied
  }

  status(): ChosenDnsStatus {
    const status = this.#chosen.status() ?? { problems: [] }
    return { ...status, problems: [...status.problems, ...this.#paths.problems] }
  }

  async stop(graceMs: number): Promise<void> {
    this.#paths.stop()
    await this.#chosen.stop(graceMs)
  }

  get programPid(): number | undefined {
    return this.#chosen.programPid
  }

  release(graceMs: number): Promise<Release> {
    this.#paths.stop()
    return this.#chosen.release(graceMs)
  }

  #create(name: EngineName): Engine<DNSServer, ChosenDnsStatus> {
    const { coredns, ...context } = this.#options
    if (name === 'oooi' || coredns === undefined) return createDnsEngine(context)
    const [address] = context.podAddresses
    if (coredns !== 'beside') return createCorednsEngine({ ...context, ...coredns })
    const at = (port: number) => `${address}:${port}`
    const observe =
      address === undefined ? undefined : { metrics: at(besidePorts.metrics), ready: at(besidePorts.ready) }
    return createCorednsEngine({ ...context, observe })
  }
}

function corednsMissing({ metadata }: DNSServer): Problem {
  return {
    reason: 'CorednsMissing',
    field: 'spec.engine',
    message: `DNSServer ${metadata.name} asks for engine coredns; give the program with --coredns, or leave the engine out.`,
  }
}
