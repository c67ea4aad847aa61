import type { Server } from 'node:net'
import type { ListenerPlan, Side } from '../../core/proxy/listeners.ts'
import type { PortRoutes } from '../../core/proxy/routes.ts'
import type { Problem } from '../../core/result.ts'
import { listenProblem } from '../listen-problem.ts'
import type { Listening, Sockets } from '../sockets/sockets.ts'
import { type Accept, type AcceptOptions, acceptFrom } from './bytes/accept.ts'

interface ListenerOptions {
  readonly sockets: Sockets
  readonly accepting: AcceptOptions
  readonly onConnection: (accept: Accept, listener: Listener) => void
  readonly onAcceptError: (error: Error) => void
}

/** One open port on one address. Its routes are swapped under it; connections take what is there when they need it. */
export class Listener {
  readonly address: string
  readonly port: number
  #side: Side
  #routes: PortRoutes
  readonly #options: ListenerOptions
  #listening: Listening | undefined

  constructor(plan: ListenerPlan, options: ListenerOptions) {
    this.address = plan.address
    this.port = plan.routes.port
    this.#side = plan.side
    this.#routes = plan.routes
    this.#options = options
  }

  get side(): Side {
    return this.#side
  }

  get routes(): PortRoutes {
    return this.#routes
  }

  serve(plan: ListenerPlan): void {
    this.#side = plan.side
    this.#routes = plan.routes
  }

  /** The problem, if the address and port cannot be had. */
  async open(): Promise<Problem | undefined> {
    try {
      this.#listening = await this.#options.sockets.listen(this.address, this.port)
    } catch (error) {
      return listenProblem({ who: 'The proxy', address: this.address, port: this.port }, error)
    }
    this.#listening.accept((server) => this.#takeConnections(server))
    return undefined
  }

  #takeConnections(server: Server): () => void {
    const { accepting, onConnection, onAcceptError } = this.#options
    server.on('error', onAcceptError)
    const end = acceptFrom(server, accepting, (accept) => onConnection(accept, this))
    return () => {
      server.off('error', onAcceptError)
      end()
    }
  }

  /** Takes no new connections. Those it has taken go on. */
  close(): void {
    this.#listening?.close()
  }
}
