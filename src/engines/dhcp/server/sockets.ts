import { setImmediate as nextTurn } from 'node:timers/promises'
import { formatIpv4 } from '../../../core/net/ipv4.ts'
import { everybody } from '../../../core/places/place.ts'
import { failed, ok, type Result } from '../../../core/result.ts'
import { announce } from '../../announce.ts'
import { listenProblem } from '../../listen-problem.ts'
import type { LeftDatagram } from '../../sockets/process-sockets.ts'
import { type QuickSend, quickSend } from '../../sockets/quick-send.ts'
import type { Datagram, Datagrams, Receiver, Sockets } from '../../sockets/sockets.ts'

export interface Ports {
  readonly server: number
  readonly client: number
}

export const standardPorts: Ports = { server: 67, client: 68 }

interface SocketEvents {
  readonly onPacket: Receiver
  readonly onError: (error: Error) => void
}

/**
 * The two sockets of a server (each datagram arrives at exactly one of them): `broadcasts` hears what is sent to
 * everybody, `own` what is sent to the server's address. Everything is sent from `own`: bound to the VLAN address it
 * sends broadcasts out of the VLAN interface, where an unbound one would follow the default route.
 *
 * Several servers on one host, each with its own VLAN, all want to hear broadcasts, so that address is shared; every one
 * of them gets every broadcast.
 */
export class DhcpSockets {
  readonly #sockets: Sockets
  readonly #ports: Ports
  readonly #events: SocketEvents
  #broadcasts: Datagrams | undefined
  #own: Datagrams | undefined
  #sending: QuickSend | undefined
  #address: number | undefined
  /** Opened, but what comes there still waits. */
  #fresh: Datagrams[] = []
  #onPacket: Receiver

  constructor(sockets: Sockets, ports: Ports, events: SocketEvents) {
    this.#sockets = sockets
    this.#ports = ports
    this.#events = events
    this.#onPacket = events.onPacket
  }

  /** Serve at this address. On failure the sockets stay as they were. What comes waits until `receive`. */
  async open(address: number): Promise<Result<void>> {
    if (address === this.#address) return ok()
    const own = await this.#bind(formatIpv4(address), false)
    if (!own.ok) return own
    if (this.#broadcasts === undefined) {
      const broadcasts = await this.#bind(everybody, true)
      if (!broadcasts.ok) {
        this.#close(own.value)
        return broadcasts
      }
      this.#broadcasts = broadcasts.value
      this.#fresh.push(broadcasts.value)
    }
    own.value.socket.setBroadcast(true)
    this.#close(this.#own)
    this.#own = own.value
    this.#sending = quickSend(own.value.socket)
    this.#fresh.push(own.value)
    this.#address = address
    return ok()
  }

  receive(): void {
    for (const datagrams of this.#fresh.splice(0)) datagrams.receive((packet, from) => this.#onPacket(packet, from))
  }

  send(packet: Buffer, port: number, address: string): void {
    // A relay agent that claims to have sent from port 0 cannot be answered there.
    if (port > 0) this.#sending?.to(packet, port, address)
  }

  /** Nothing comes in any more; answers can still go out. */
  stopReceiving(): void {
    this.#onPacket = () => {}
    this.#close(this.#broadcasts)
    this.#broadcasts = undefined
  }

  /**
   * Nothing comes in any more but what is kept for another process, which has copies of all broadcasts. When the answers
   * are out, `left` closes everything and tells what there is for that process.
   */
  async release(): Promise<{ left(unanswered: readonly Datagram[]): Promise<readonly LeftDatagram[]> }> {
    // What waits at this moment is read and answered still.
    await nextTurn()
    await nextTurn()
    const kept: Datagram[] = []
    this.stopReceiving()
    this.#onPacket = (packet, from) => kept.push({ packet, from })
    const place = { protocol: 'udp', address: formatIpv4(this.#address ?? 0), port: this.#ports.server } as const
    return {
      left: async (unanswered) => {
        const waiting = (await this.#own?.retire()) ?? []
        this.close()
        return [...unanswered, ...kept, ...waiting].map((datagram) => ({ ...datagram, place }))
      },
    }
  }

  close(): void {
    this.stopReceiving()
    this.#close(this.#own)
    this.#own = undefined
    this.#sending = undefined
    this.#address = undefined
  }

  #close(datagrams: Datagrams | undefined): void {
    datagrams?.socket.off('error', this.#events.onError)
    datagrams?.close()
  }

  async #bind(address: string, isForAll: boolean): Promise<Result<Datagrams>> {
    const port = this.#ports.server
    try {
      const datagrams = await this.#sockets.bind(address, port, isForAll)
      datagrams.socket.on('error', this.#events.onError)
      if (!isForAll) announce(address)
      return ok(datagrams)
    } catch (error) {
      return failed(listenProblem({ who: 'DHCP', address, port }, error))
    }
  }
}
