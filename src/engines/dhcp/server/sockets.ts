import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { formatIpv4 } from '../../../core/net/ipv4.ts'
import { failed, ok, type Result } from '../../../core/result.ts'
import { announce } from '../../announce.ts'
import { listenProblem } from '../../listen-problem.ts'

export interface Ports {
  readonly server: number
  readonly client: number
}

export const standardPorts: Ports = { server: 67, client: 68 }

/** A burst of booting machines is buffered by the kernel; it gives less where the host allows less. */
const receiveBufferBytes = 4 * 1024 * 1024
export const everybody = '255.255.255.255'

interface SocketEvents {
  readonly onPacket: (packet: Buffer, from: RemoteInfo) => void
  readonly onError: (error: Error) => void
}

/**
 * The two sockets of a server (each datagram arrives at exactly one of them): `broadcasts` hears what is sent to
 * everybody, `own` what is sent to the server's address. Everything is sent from `own`: bound to the VLAN address it
 * sends broadcasts out of the VLAN interface, where an unbound one would follow the default route.
 */
export class DhcpSockets {
  readonly #events: SocketEvents
  readonly #ports: Ports
  #broadcasts: Socket | undefined
  #own: Socket | undefined
  #address: number | undefined

  constructor(ports: Ports, events: SocketEvents) {
    this.#ports = ports
    this.#events = events
  }

  /** Serve at this address. On failure the sockets stay as they were. */
  async open(address: number): Promise<Result<void>> {
    if (address === this.#address) return ok()
    const own = await this.#bind(formatIpv4(address), false)
    if (!own.ok) return own
    if (this.#broadcasts === undefined) {
      const broadcasts = await this.#bind(everybody, true)
      if (!broadcasts.ok) {
        own.value.close()
        return broadcasts
      }
      this.#broadcasts = broadcasts.value
    }
    own.value.setBroadcast(true)
    this.#own?.close()
    this.#own = own.value
    this.#address = address
    return ok()
  }

  send(packet: Buffer, port: number, address: string): void {
    // A relay agent that claims to have sent from port 0 cannot be answered there.
    if (port > 0) this.#own?.send(packet, 0, packet.length, port, address)
  }

  /** Nothing comes in any more; answers can still go out. */
  stopReceiving(): void {
    this.#broadcasts?.close()
    this.#broadcasts = undefined
    this.#own?.off('message', this.#events.onPacket)
  }

  close(): void {
    this.stopReceiving()
    this.#own?.close()
    this.#own = undefined
    this.#address = undefined
  }

  /**
   * Several servers on one host, each with its own VLAN, all want to hear broadcasts, so that address is shared; every
   * one of them gets every broadcast.
   */
  #bind(address: string, shared: boolean): Promise<Result<Socket>> {
    const port = this.#ports.server
    const socket = createSocket({
      type: 'udp4',
      reuseAddr: shared,
      recvBufferSize: receiveBufferBytes,
      // Addresses are literal already, and the default would go through the resolver for each packet.
      lookup: (hostname, _options, callback) => callback(null, hostname, 4),
    })
    return new Promise((resolve) => {
      socket.once('error', (error: NodeJS.ErrnoException) => {
        socket.close()
        resolve(failed(listenProblem({ who: 'DHCP', address, port }, error)))
      })
      socket.bind({ port, address, exclusive: true }, () => {
        socket.removeAllListeners('error')
        socket.on('error', this.#events.onError)
        socket.on('message', this.#events.onPacket)
        if (!shared) announce(address)
        resolve(ok(socket))
      })
    })
  }
}
