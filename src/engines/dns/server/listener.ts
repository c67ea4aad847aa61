import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LeftDatagram } from '../../sockets/process-sockets.ts'
import type { Sockets } from '../../sockets/sockets.ts'
import type { QueryCounters } from './counters.ts'
import type { Responder } from './responder.ts'
import { type TcpLimits, TcpServer } from './tcp.ts'
import { UdpServer } from './udp.ts'
import type { ViewChooser } from './view-chooser.ts'

export interface ListenerOptions {
  readonly responder: Responder
  readonly counters: QueryCounters
  readonly now: () => number
  readonly tcpLimits: TcpLimits
  readonly sockets?: Sockets | undefined
}

const portZeroAttempts = 10

/** UDP and TCP on one local address and the same port. */
export class Listener {
  readonly address: string
  readonly port: number
  readonly #udp: UdpServer
  readonly #tcp: TcpServer

  /** Port 0 takes any port that is free for both. Rejects with the system's error. */
  static async open(options: ListenerOptions, address: string, port: number, chooser: ViewChooser): Promise<Listener> {
    for (let attempt = 1; ; attempt++) {
      const udp = await UdpServer.open({ ...options, address, port }, chooser)
      try {
        const tcp = await TcpServer.open({ ...options, address, port: udp.port, limits: options.tcpLimits }, chooser)
        return new Listener(address, udp, tcp)
      } catch (error) {
        udp.close()
        if (port !== 0 || attempt === portZeroAttempts) throw error
      }
    }
  }

  private constructor(address: string, udp: UdpServer, tcp: TcpServer) {
    this.address = address
    this.port = udp.port
    this.#udp = udp
    this.#tcp = tcp
  }

  get chooser(): ViewChooser {
    return this.#udp.chooser
  }

  set chooser(chooser: ViewChooser) {
    this.#udp.chooser = chooser
    this.#tcp.chooser = chooser
  }

  get connectionCount(): number {
    return this.#tcp.connectionCount
  }

  stopAccepting(): void {
    this.#udp.stopAccepting()
    this.#tcp.stopAccepting()
  }

  /** For another process that has the same place; what is returned is for it to answer. */
  async release(): Promise<readonly LeftDatagram[]> {
    await nextTurn()
    this.#tcp.release()
    const left = await this.#udp.release()
    const place = { protocol: 'udp', address: this.address, port: this.port } as const
    return left.map((datagram) => ({ ...datagram, place }))
  }

  close(): void {
    this.#udp.close()
    this.#tcp.close()
  }
}
