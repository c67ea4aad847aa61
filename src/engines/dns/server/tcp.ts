import type { Socket } from 'node:net'
import { exclusiveSockets } from '../../sockets/exclusive.ts'
import type { Listening, Sockets } from '../../sockets/sockets.ts'
import { Connection } from './connection.ts'
import type { QueryCounters } from './counters.ts'
import type { Responder } from './responder.ts'
import { Senders } from './sender.ts'
import type { ViewChooser } from './view-chooser.ts'

export interface TcpServerOptions {
  readonly address: string
  readonly port: number
  readonly responder: Responder
  readonly counters: QueryCounters
  readonly now: () => number
  readonly limits: TcpLimits
  readonly sockets?: Sockets | undefined
}

export interface TcpLimits {
  readonly connections: number
  readonly connectionsPerClient: number
  readonly idleMs: number
}

export const defaultTcpLimits: TcpLimits = { connections: 512, connectionsPerClient: 32, idleMs: 10_000 }

/** The TCP side of one local address. */
export class TcpServer {
  readonly #listening: Listening
  readonly #options: TcpServerOptions
  readonly #connections = new Map<Connection, string>()
  readonly #perClient = new Map<string, number>()
  readonly #sweep: NodeJS.Timeout
  readonly #senders: Senders

  /** Rejects with the system's error when the address cannot be had. */
  static async open(options: TcpServerOptions, chooser: ViewChooser): Promise<TcpServer> {
    const { sockets = exclusiveSockets, address, port } = options
    return new TcpServer(options, chooser, await sockets.listen(address, port))
  }

  private constructor(options: TcpServerOptions, chooser: ViewChooser, listening: Listening) {
    this.#options = options
    this.#senders = new Senders('tcp', chooser)
    this.#listening = listening
    this.#sweep = setInterval(() => this.#closeIdle(), Math.min(options.limits.idleMs, 1000)).unref()
    listening.accept((server) => {
      const onConnection = (socket: Socket) => this.#accept(socket)
      server.on('connection', onConnection)
      return () => server.off('connection', onConnection)
    })
  }

  set chooser(chooser: ViewChooser) {
    this.#senders.chooser = chooser
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  #accept(socket: Socket): void {
    const { limits, counters, responder, now } = this.#options
    const client = socket.remoteAddress ?? ''
    const ofClient = this.#perClient.get(client) ?? 0
    if (this.#connections.size >= limits.connections || ofClient >= limits.connectionsPerClient) {
      counters.drop('connections-full')
      socket.on('error', () => {})
      socket.destroy()
      return
    }
    const connection = new Connection(socket, responder, this.#senders.at(client), now)
    this.#connections.set(connection, client)
    this.#perClient.set(client, ofClient + 1)
    socket.once('close', () => this.#forget(connection, client))
  }

  #forget(connection: Connection, client: string): void {
    this.#connections.delete(connection)
    const left = (this.#perClient.get(client) ?? 1) - 1
    if (left > 0) this.#perClient.set(client, left)
    else this.#perClient.delete(client)
  }

  #closeIdle(): void {
    const oldest = this.#options.now() - this.#options.limits.idleMs
    for (const connection of this.#connections.keys()) {
      if (!connection.isWaiting && connection.lastQueryAtMs < oldest) connection.close()
    }
  }

  /** No new connections; those that are there are answered until their clients have had enough. */
  release(): void {
    this.#listening.close()
  }

  /** No new connections; those that are there end when their questions are answered. */
  stopAccepting(): void {
    this.#listening.close()
    for (const connection of this.#connections.keys()) connection.finish()
  }

  close(): void {
    clearInterval(this.#sweep)
    this.#listening.close()
    for (const connection of this.#connections.keys()) connection.close()
  }
}
