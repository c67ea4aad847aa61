import { failed, ok, type Problem, type Result } from '../../../core/result.ts'
import { announce } from '../../announce.ts'
import { listenProblem } from '../../listen-problem.ts'
import type { LeftDatagram } from '../../sockets/process-sockets.ts'
import { Listener, type ListenerOptions } from './listener.ts'
import type { ViewChooser } from './view-chooser.ts'

export interface WantedListener {
  readonly address: string
  readonly port: number
  readonly chooser: ViewChooser
}

/** The listeners of the server. New ones are opened before old ones are closed, so that no query finds nobody. */
export class ListenerSet {
  readonly #options: ListenerOptions
  #listeners: ReadonlyMap<string, Listener> = new Map()

  constructor(options: ListenerOptions) {
    this.#options = options
  }

  get all(): readonly Listener[] {
    return [...this.#listeners.values()]
  }

  /** Opens what is missing. The returned function makes these the listeners and closes the rest; on problems nothing changed. */
  async prepare(wanted: readonly WantedListener[]): Promise<Result<() => void>> {
    const next = new Map<string, Listener>()
    const opened: Listener[] = []
    const problems: Problem[] = []
    for (const { address, port, chooser } of wanted) {
      const key = `${address} ${port}`
      const present = this.#listeners.get(key)
      if (present) {
        next.set(key, present)
        continue
      }
      try {
        const listener = await Listener.open(this.#options, address, port, chooser)
        next.set(key, listener)
        opened.push(listener)
        announce(address)
      } catch (error) {
        problems.push(listenProblem({ who: 'The DNS server', address, port }, error))
      }
    }
    if (problems.length > 0) {
      for (const listener of opened) listener.close()
      return failed(...problems)
    }
    return ok(() => this.#replace(next, wanted))
  }

  #replace(next: ReadonlyMap<string, Listener>, wanted: readonly WantedListener[]): void {
    const old = this.#listeners
    this.#listeners = next
    for (const { address, port, chooser } of wanted) {
      const listener = next.get(`${address} ${port}`)
      if (listener) listener.chooser = chooser
    }
    for (const [key, listener] of old) if (!next.has(key)) listener.close()
  }

  stopAccepting(): void {
    for (const listener of this.#listeners.values()) listener.stopAccepting()
  }

  async release(): Promise<readonly LeftDatagram[]> {
    return (await Promise.all(this.all.map((listener) => listener.release()))).flat()
  }

  get connectionCount(): number {
    return this.all.reduce((sum, listener) => sum + listener.connectionCount, 0)
  }

  close(): void {
    for (const listener of this.#listeners.values()) listener.close()
    this.#listeners = new Map()
  }
}
