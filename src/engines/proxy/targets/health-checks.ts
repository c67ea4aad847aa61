import { connect } from 'node:net'
import type { HealthCheck, Target } from '../../../core/proxy/backend.ts'
import type { BackendState } from './backend-state.ts'
import type { DialContext } from './dial.ts'

/** Asks the targets of backends that want it, again and again, whether they take a connection. */
export class HealthChecks {
  readonly #context: DialContext
  readonly #checks = new Map<string, { readonly text: string; readonly timer: NodeJS.Timeout }>()

  constructor(context: DialContext) {
    this.#context = context
  }

  /** Checks these from now on, and no others. One whose times did not change keeps its beat. */
  update(states: Iterable<BackendState>): void {
    const wanted = new Map([...states].map((state) => [state.backend.name, state]))
    for (const [name, { text, timer }] of this.#checks) {
      if (JSON.stringify(wanted.get(name)?.backend.healthCheck) === text) continue
      clearInterval(timer)
      this.#checks.delete(name)
    }
    for (const [name, state] of wanted) {
      const { healthCheck } = state.backend
      if (!healthCheck || this.#checks.has(name)) continue
      const check = () => {
        for (const target of state.backend.targets) void this.#check(state, target, healthCheck)
      }
      this.#checks.set(name, { text: JSON.stringify(healthCheck), timer: setInterval(check, healthCheck.intervalMs) })
      check()
    }
  }

  stop(): void {
    this.update([])
  }

  async #check(state: BackendState, target: Target, { timeoutMs }: HealthCheck): Promise<void> {
    const error = await this.#failureOf(target, timeoutMs)
    const facts = { backend: state.backend.name, target: `${target.host}:${target.port}` }
    if (error === undefined) {
      if (state.connected(target)) this.#context.log.info(facts, 'target answers again')
    } else if (state.failed(target, error, this.#context.now())) {
      this.#context.log.warn({ ...facts, error }, 'target does not answer')
    }
  }

  async #failureOf(target: Target, timeoutMs: number): Promise<string | undefined> {
    try {
      const [address] = await this.#context.resolver.resolve(target.host)
      if (address === undefined || !this.#context.isTargetAllowed(address, target.port)) return 'no address to ask'
      return await connectOnce(address, target.port, timeoutMs)
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
}

/** Why there is no connection, if there is none. */
function connectOnce(host: string, port: number, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, autoSelectFamily: false })
    const finish = (failure?: string) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(failure)
    }
    const timer = setTimeout(() => finish(`${host}:${port} did not answer in time`), timeoutMs)
    socket.once('connect', () => finish())
    socket.once('error', (error) => finish(error.message))
  })
}
