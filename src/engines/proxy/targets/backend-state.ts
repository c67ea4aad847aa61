import type { Backend, Target } from '../../../core/proxy/backend.ts'

/** After a failure a target is asked last for this long. */
const avoidMs = 10_000

interface TargetState {
  open: number
  /** How the last attempt ended; undefined until there was one. */
  outcome: 'connected' | 'failed' | undefined
  lastError: string | undefined
  failedAtMs: number
}

export interface BackendReport {
  readonly name: string
  readonly endpoints: number
  /** Targets whose last connection succeeded. Nothing is said of targets that no client has needed yet. */
  readonly healthy: number
  /** Targets that no connection was tried to yet. */
  readonly untried: number
  /** Why a target does not answer at present. */
  readonly lastError?: string
  readonly openConnections: number
}

/** What is known of a backend's targets from the connections made to them. Outlives changes of the backend's fields. */
export class BackendState {
  readonly #targets = new Map<string, TargetState>()
  #backend: Backend
  #rotation = 0
  /** Connections that were routed here, also those that still look for a target. */
  open = 0

  constructor(backend: Backend) {
    this.#backend = backend
  }

  get backend(): Backend {
    return this.#backend
  }

  update(backend: Backend): void {
    this.#backend = backend
    const wanted = new Set(backend.targets.map(keyOf))
    for (const key of this.#targets.keys()) if (!wanted.has(key)) this.#targets.delete(key)
  }

  get isFull(): boolean {
    return this.#backend.maxConnections !== undefined && this.open >= this.#backend.maxConnections
  }

  /**
   * The order in which to try the targets: those that failed a moment ago last, the upper tier first, then the one with
   * the fewest connections; equals take turns. So when a whole tier fails, the lower one is next.
   */
  attemptOrder(nowMs: number): readonly Target[] {
    const targets = this.#backend.targets
    if (targets.length < 2) return targets
    this.#rotation = (this.#rotation + 1) % targets.length
    const rotated = [...targets.slice(this.#rotation), ...targets.slice(0, this.#rotation)]
    const rank = new Map(rotated.map((target) => [target, this.#rank(target, nowMs)]))
    return rotated.sort((a, b) => compare(rank.get(a) ?? [], rank.get(b) ?? []))
  }

  /** True when this is news: the target was known to be failing. */
  connected(target: Target): boolean {
    const state = this.#state(target)
    const isNews = state.outcome === 'failed'
    state.outcome = 'connected'
    state.lastError = undefined
    return isNews
  }

  /** True when this is news: the target was not known to be failing. */
  failed(target: Target, error: string, nowMs: number): boolean {
    const state = this.#state(target)
    const isNews = state.outcome !== 'failed'
    state.outcome = 'failed'
    state.lastError = error
    state.failedAtMs = nowMs
    return isNews
  }

  opened(target: Target): void {
    this.#state(target).open += 1
  }

  closed(target: Target): void {
    const state = this.#targets.get(keyOf(target))
    if (state) state.open = Math.max(state.open - 1, 0)
  }

  report(): BackendReport {
    const states = this.#backend.targets.map((target) => this.#targets.get(keyOf(target)))
    const lastError = states.find((state) => state?.lastError !== undefined)?.lastError
    return {
      name: this.#backend.name,
      endpoints: states.length,
      healthy: states.filter((state) => state?.outcome === 'connected').length,
      untried: states.filter((state) => state?.outcome === undefined).length,
      openConnections: this.open,
      ...(lastError === undefined ? {} : { lastError }),
    }
  }

  #rank(target: Target, nowMs: number): readonly number[] {
    const state = this.#targets.get(keyOf(target))
    // Where targets are checked, the next check says when one is well again.
    const isRecent = state !== undefined && nowMs - state.failedAtMs < avoidMs
    const isAvoided = state?.outcome === 'failed' && (isRecent || this.#backend.healthCheck !== undefined)
    return [isAvoided ? 1 : 0, target.tier, state?.open ?? 0]
  }

  #state(target: Target): TargetState {
    const key = keyOf(target)
    const existing = this.#targets.get(key)
    if (existing) return existing
    const state: TargetState = { open: 0, outcome: undefined, lastError: undefined, failedAtMs: 0 }
    this.#targets.set(key, state)
    return state
  }
}

function keyOf(target: Target): string {
  return `${target.host} ${target.port}`
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
