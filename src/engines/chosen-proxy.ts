import type { ProxyServer } from '../api/proxyserver.ts'
import type { Result } from '../core/result.ts'
import type { Engine, EngineContext, Release } from './engine.ts'
import { createEnvoyEngine, type EnvoyEngineStatus } from './envoy/engine.ts'
import { FirstChoice } from './first-choice.ts'
import { createProxyEngine, type ProxyEngineStatus } from './proxy/engine.ts'

export interface ChosenProxyOptions extends EngineContext {
  readonly stateDir: string
  /** An Envoy to run; without it Envoy is expected to run beside oooi. */
  readonly envoyProgram?: string
  readonly envoyMetricsAt?: { readonly address: string; readonly port: number }
  /** For an Envoy beside oooi: whether it is about to end too, and has to be drained. */
  readonly isEnvoyEnding?: () => Promise<boolean>
  /** Of a ProxyServer that names none; by default ours. */
  readonly defaultEngine?: EngineName
}

export type ChosenProxyStatus = ProxyEngineStatus | EnvoyEngineStatus

type EngineName = NonNullable<ProxyServer['spec']['engine']>

/** The engine that the ProxyServer asks for; outside Kubernetes the embedded one unless it says otherwise. */
export function createChosenProxyEngine(options: ChosenProxyOptions): Engine<ProxyServer, ChosenProxyStatus> {
  return new ChosenProxyEngine(options)
}

class ChosenProxyEngine implements Engine<ProxyServer, ChosenProxyStatus> {
  readonly #options: ChosenProxyOptions
  readonly #chosen = new FirstChoice<EngineName, ProxyServer, ChosenProxyStatus>({
    create: (name) => this.#create(name),
    priceOfChange: 'without cutting every connection',
  })

  constructor(options: ChosenProxyOptions) {
    this.#options = options
  }

  async apply(proxy: ProxyServer): Promise<Result<void>> {
    return this.#chosen.apply(proxy, proxy.spec.engine ?? this.#options.defaultEngine ?? 'embedded')
  }

  status(): ChosenProxyStatus {
    return this.#chosen.status() ?? { listeners: [], backends: [], openConnections: 0, problems: [] }
  }

  async stop(graceMs: number): Promise<void> {
    await this.#chosen.stop(graceMs)
  }

  get programPid(): number | undefined {
    return this.#chosen.programPid
  }

  release(graceMs: number): Promise<Release> {
    return this.#chosen.release(graceMs)
  }

  #create(name: EngineName): Engine<ProxyServer, ChosenProxyStatus> {
    const { envoyProgram, envoyMetricsAt, isEnvoyEnding, defaultEngine: _, ...context } = this.#options
    if (name === 'embedded') return createProxyEngine(context)
    return createEnvoyEngine({
      ...context,
      ...(envoyProgram === undefined ? {} : { program: envoyProgram }),
      ...(envoyMetricsAt === undefined ? {} : { metricsAt: envoyMetricsAt }),
      ...(isEnvoyEnding === undefined ? {} : { isEnvoyEnding }),
    })
  }
}
