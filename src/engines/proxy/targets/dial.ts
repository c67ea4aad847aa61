import type { OnReadOpts } from 'node:net'
import type { Target } from '../../../core/proxy/backend.ts'
import type { Logger } from '../../../runtime/observe/log.ts'
import type { TcpHandles } from '../bytes/tcp-handles.ts'
import type { Wire } from '../bytes/wire.ts'
import type { ProxyLimits } from '../limits.ts'
import type { Phase } from '../phase.ts'
import { Attempt } from './attempt.ts'
import type { BackendState } from './backend-state.ts'
import type { TargetResolver } from './target-resolver.ts'

const firstPauseMs = 100
const longestPauseMs = 2000

export interface DialContext {
  readonly log: Logger
  readonly now: () => number
  readonly limits: ProxyLimits
  /** For connections without sockets of Node, where it has such things. */
  readonly handles: TcpHandles | undefined
  readonly resolver: TargetResolver
  /** Asked for every address, also for those a name resolved to. */
  readonly isTargetAllowed: (address: string, port: number) => boolean
}

export interface Dialled {
  readonly socket: Wire
  readonly target: Target
  readonly address: string
}

/**
 * Reaches one target of a backend: one after the other, and again from the first after a pause, until the backend's
 * time is over. A control plane that restarts so costs its clients a moment instead of an error.
 */
export class Dial implements Phase {
  readonly #state: BackendState
  readonly #context: DialContext
  readonly #onread: OnReadOpts
  /** Made only for who waits for something else than an attempt. */
  #over: PromiseWithResolvers<undefined> | undefined
  #isOver = false
  #isAbandoned = false
  #isLastRound = false
  #isPausing = false
  #attempt: Attempt | undefined
  #attemptsLeft: number

  constructor(state: BackendState, context: DialContext, onread: OnReadOpts) {
    this.#state = state
    this.#context = context
    this.#onread = onread
    this.#attemptsLeft = state.backend.connectAttempts ?? Number.POSITIVE_INFINITY
  }

  /** The connection, or undefined when no target could be reached; the backend's state then says why. */
  async run(): Promise<Dialled | undefined> {
    const timer = setTimeout(() => this.#stop(), this.#state.backend.connectTimeoutMs)
    let dialled = await this.#tryEach()
    for (let pauseMs = firstPauseMs; !dialled && !this.#isOver && !this.#isLastRound; pauseMs *= 2) {
      await this.#pause(Math.min(pauseMs, longestPauseMs))
      dialled = await this.#tryEach()
    }
    clearTimeout(timer)
    return dialled
  }

  /** That says nothing about the target. */
  clientClosed(): void {
    this.#isAbandoned = true
    this.#stop()
  }

  /** Who has said all will hardly wait: no target a second time. */
  clientEnded(): void {
    this.#isLastRound = true
    if (this.#isPausing) this.clientClosed()
  }

  #stop(): void {
    this.#isOver = true
    this.#over?.resolve(undefined)
    this.#attempt?.socket.destroy()
  }

  async #tryEach(): Promise<Dialled | undefined> {
    for (const target of this.#state.attemptOrder(this.#context.now())) {
      for (const address of this.#context.resolver.addressIn(target.host) ?? (await this.#addressesOf(target))) {
        const socket = this.#isOver ? undefined : await this.#connect(target, address)
        if (socket) return { socket, target, address }
      }
    }
    return undefined
  }

  async #addressesOf(target: Target): Promise<readonly string[]> {
    if (this.#isOver) return []
    try {
      return (await Promise.race([this.#context.resolver.resolve(target.host), this.#whenOver()])) ?? []
    } catch (error) {
      this.#failed(target, error instanceof Error ? error.message : String(error))
      return []
    }
  }

  async #connect(target: Target, address: string): Promise<Wire | undefined> {
    const { connectAttemptMs, keepAliveAfterMs } = this.#context.limits
    const { port } = target
    if (!this.#context.isTargetAllowed(address, port)) {
      this.#failed(target, `${target.host} is at ${address}:${port}, which connections may not be passed on to`)
      return undefined
    }
    const { handles } = this.#context
    this.#attempt = new Attempt({
      ...{ address, port, keepAliveAfterMs, handles },
      timeoutMs: connectAttemptMs,
      onread: this.#onread,
    })
    const failure = await this.#attempt.failure
    if (failure === undefined) return this.#connected(target, this.#attempt.socket)
    if (!this.#isAbandoned) this.#failed(target, failure)
    this.#attemptsLeft -= 1
    if (this.#attemptsLeft === 0) this.#stop()
    return undefined
  }

  #connected(target: Target, socket: Wire): Wire {
    if (this.#state.connected(target)) this.#context.log.info(this.#facts(target), 'target answers again')
    return socket
  }

  #failed(target: Target, error: string): void {
    if (!this.#state.failed(target, error, this.#context.now())) return
    this.#context.log.warn({ ...this.#facts(target), error }, 'target does not answer')
  }

  #facts(target: Target): { readonly backend: string; readonly target: string } {
    return { backend: this.#state.backend.name, target: `${target.host}:${target.port}` }
  }

  #whenOver(): Promise<undefined> {
    this.#over ??= Promise.withResolvers<undefined>()
    return this.#over.promise
  }

  async #pause(milliseconds: number): Promise<void> {
    const pause = Promise.withResolvers<void>()
    const timer = setTimeout(pause.resolve, milliseconds)
    this.#isPausing = true
    await Promise.race([pause.promise, this.#whenOver()])
    this.#isPausing = false
    clearTimeout(timer)
  }
}
