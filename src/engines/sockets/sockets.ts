import type { RemoteInfo, Socket } from 'node:dgram'
import type { Server } from 'node:net'

/** Where engines get what they listen on. Both reject with the system's error when the place cannot be had. */
export interface Sockets {
  /** TCP. Port 0 is any that is free. */
  listen(address: string, port: number): Promise<Listening>
  /** UDP. `isForAll`: every process that binds this address hears everything, as with a broadcast address. */
  bind(address: string, port: number, isForAll?: boolean): Promise<Datagrams>
}

/** A TCP port that takes connections. Those that come before anybody wants them wait. */
export interface Listening {
  readonly port: number
  /** `attach` begins to take connections from the server, and returns what ends that. */
  accept(attach: (server: Server) => () => void): void
  /** Takes no new connections. Those that were taken go on. */
  close(): void
}

/** Who sent a datagram. */
export type DatagramSource = Pick<RemoteInfo, 'address' | 'port'>

export type Receiver = (packet: Buffer, from: DatagramSource) => void

/** A bound UDP socket. Datagrams that come before anybody receives them wait. */
export interface Datagrams {
  /** To send with; what comes in goes to the receiver. */
  readonly socket: Socket
  receive(receiver: Receiver): void
  close(): void
  /** Closes it for another process that has the place too: what came in until then and nobody received is returned. */
  retire(): Promise<readonly Datagram[]>
}

export interface Datagram {
  readonly packet: Buffer
  readonly from: DatagramSource
}
