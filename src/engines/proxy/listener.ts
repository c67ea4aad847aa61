import { createServer, type Server } from 'node:net'
import type { PortRoutes } from '../../core/proxy/routes.ts'
import type { Problem } from '../../core/result.ts'
import { listenProblem } from '../listen-problem.ts'
import { type Accept, type AcceptOptions, acceptFrom } from './accept.ts'
import type { ProxyLimits } from './limits.ts'

/** Which network a listener is on; the pod network gets only the backends meant for it. */
export type Side = 'vlan' | 'pod'

export interface ListenerPlan {
  readonly address: string
  readonly side: Side
  readonly routes: PortRoutes
}

/**
 * For processes that follow each other: the next one listens on the same ports (SO_REUSEPORT) before this one closes
 * them, so that no connection is refused in between.
 */
export interface PortSharing {
  /** While this process takes over, another one has the ports; at any other time that is a mistake. */
  readonly takesOver: () => boolean
}

/** Enough for a rack of machines that boot at the same moment. */
const backlog = 1024

/** One open port on one address. Its routes are swapped under it; connections take what is there when they need it. */
export class Listener {
  readonly address: string
  readonly port: number
  #side: Side
  #routes: PortRoutes
  readonly #server: Server
  readonly #takeConnections: () => void
  readonly #onAcceptError: (error: Error) => void
  readonly #sharing: PortSharing | undefined

  constructor(
    plan: ListenerPlan,
    limits: ProxyLimits & AcceptOptions,
    onConnection: (accept: Accept, listener: Listener) => void,
    onAcceptError: (error: Error) => void,
    sharing?: PortSharing,
  ) {
    this.#sharing = sharing
    this.address = plan.address
    this.port = plan.routes.port
    this.#side = plan.side
    this.#routes = plan.routes
    this.#server = createServer({
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: limits.keepAliveAfterMs,
    })
    this.#takeConnections = () => acceptFrom(this.#server, limits, (accept) => onConnection(accept, this))
    this.#onAcceptError = onAcceptError
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
    if (this.#sharing && !this.#sharing.takesOver()) {
      // A shared port is given also where a stranger of the same user has it; one that is not shared is not.
      const probe = createServer()
      const problem = await this.#listen(probe, false)
      if (problem) return problem
      probe.close()
    }
    const problem = await this.#listen(this.#server, this.#sharing !== undefined)
    if (problem) return problem
    this.#server.on('error', this.#onAcceptError)
    this.#takeConnections()
    return undefined
  }

  #listen(server: Server, reusePort: boolean): Promise<Problem | undefined> {
    return new Promise((resolve) => {
      const onError = (error: NodeJS.ErrnoException) =>
        resolve(listenProblem({ who: 'The proxy', address: this.address, port: this.port }, error))
      server.once('error', onError)
      server.listen({ host: this.address, port: this.port, backlog, reusePort }, () => {
        server.off('error', onError)
        resolve(undefined)
      })
    })
  }

  /** Takes no new connections. Those it has taken go on. */
  close(): void {
    this.#server.close()
  }
}
