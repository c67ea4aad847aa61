import type { ListenerPlan } from '../../core/proxy/listeners.ts'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'
import { announce } from '../announce.ts'
import type { Listener } from './listener.ts'

/** The open listeners, by address and port, and the one way to change them: first open, then swap, then close. */
export class Listeners {
  readonly #create: (plan: ListenerPlan) => Listener
  #open: ReadonlyMap<string, Listener> = new Map()

  constructor(create: (plan: ListenerPlan) => Listener) {
    this.#create = create
  }

  [Symbol.iterator](): Iterator<Listener> {
    return this.#open.values()
  }

  has(address: string, port: number): boolean {
    return this.#open.has(keyOf(address, port))
  }

  /**
   * Opens all places that are not open yet, or none. The function it returns puts every listener onto its plan and
   * closes those without one, in one step, so that no connection sees half of a change.
   */
  async prepare(plans: readonly ListenerPlan[]): Promise<Result<() => void>> {
    const planned = new Map(plans.map((plan) => [keyOf(plan.address, plan.routes.port), plan]))
    const next = new Map<string, Listener>()
    const opened: Listener[] = []
    const problems: Problem[] = []
    for (const [key, plan] of planned) {
      const existing = this.#open.get(key)
      const listener = existing ?? this.#create(plan)
      const problem = existing ? undefined : await listener.open()
      if (problem) problems.push(problem)
      else if (!existing) opened.push(listener)
      next.set(key, listener)
    }
    if (problems.length === 0) {
      for (const address of this.#newAddresses(opened)) announce(address)
      return ok(() => this.#swap(next, planned))
    }
    for (const listener of opened) listener.close()
    return failed(...problems)
  }

  closeAll(): void {
    this.#swap(new Map(), new Map())
  }

  #newAddresses(opened: readonly Listener[]): Set<string> {
    const known = new Set([...this].map(({ address }) => address))
    return new Set(opened.map(({ address }) => address).filter((address) => !known.has(address)))
  }

  #swap(next: ReadonlyMap<string, Listener>, planned: ReadonlyMap<string, ListenerPlan>): void {
    const previous = this.#open
    this.#open = next
    for (const [key, listener] of previous) if (!next.has(key)) listener.close()
    for (const [key, plan] of planned) next.get(key)?.serve(plan)
  }
}

function keyOf(address: string, port: number): string {
  return `${address}:${port}`
}
