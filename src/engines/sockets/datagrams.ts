import type { Socket } from 'node:dgram'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { openSocket, type Way } from './open.ts'
import type { Datagram, Datagrams, Receiver } from './sockets.ts'

/** What waits for a receiver; more than this is lost, as it would be in the kernel. */
const mostWaiting = 8192
/** So long nothing came any more: what was on its way inside the kernel has arrived. */
const quietMs = 2
const discardPort = 9

interface Held {
  readonly waiting: Datagram[]
  readonly hold: Receiver
}

function holdFrom(earlier: readonly Datagram[]): Held {
  const waiting = [...earlier]
  return {
    waiting,
    hold: (packet, from) => {
      if (waiting.length < mostWaiting) waiting.push({ packet, from })
    },
  }
}

function handTo(receiver: Receiver, { waiting }: Held): void {
  for (const { packet, from } of waiting.splice(0)) receiver(packet, from)
}

/** A socket that this process has bound, and closes. `earlier` came for another process that has let go of the place. */
export async function bindTo(
  way: Extract<Way, { port: number }>,
  earlier: readonly Datagram[] = [],
): Promise<OwnDatagrams> {
  const held = holdFrom(earlier)
  return new OwnDatagrams(await openSocket(way, held.hold), way, held)
}

export class OwnDatagrams implements Datagrams {
  readonly socket: Socket
  readonly #way: Extract<Way, { port: number }>
  readonly #held: Held
  #receiver: Receiver | undefined
  #isClosed = false

  constructor(socket: Socket, way: Extract<Way, { port: number }>, held: Held) {
    this.socket = socket
    this.#way = way
    this.#held = held
  }

  receive(receiver: Receiver): void {
    this.#receiver = receiver
    this.socket.off('message', this.#held.hold)
    this.socket.on('message', receiver)
    handTo(receiver, this.#held)
  }

  /** Where everybody hears everything, what waits is a copy of what another process has had too. */
  forgetCopies(): void {
    if (this.#way.sharing === 'address') this.#held.waiting.length = 0
  }

  /** Came for another process that has let go, before anything that came here. */
  add(earlier: readonly Datagram[]): void {
    this.#held.waiting.unshift(...earlier)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.socket.close()
  }

  /**
   * While two sockets share a port the kernel gives each sender to one of them, and what waits in a socket that is closed
   * is lost. So the socket is connected first, to nobody: from then on the kernel gives it nothing more, but what waits
   * in it can still be read. An answer could not be sent from it any more; that is for the process that goes on.
   */
  async retire(): Promise<readonly Datagram[]> {
    // Where everybody hears everything, the other process has its own copy.
    if (this.#way.sharing === 'address' || this.#isClosed) {
      this.close()
      return []
    }
    const { waiting, hold } = this.#held
    if (this.#receiver) {
      this.socket.off('message', this.#receiver)
      this.socket.on('message', hold)
    }
    await new Promise<void>((resolve) => {
      this.socket.once('error', () => resolve())
      this.socket.connect(discardPort, this.#way.address, resolve)
    })
    for (let before = -1; before !== waiting.length; ) {
      before = waiting.length
      await sleep(quietMs)
      // On a busy machine the time may be over before the loop has looked at the socket again.
      await nextTurn()
    }
    this.close()
    return waiting
  }
}

/**
 * A UDP socket that was open before this process began. As with InheritedListening, it stays open, and nobody hears what
 * comes while it is not wanted. It may be lent several times: each user hears everything.
 */
export class InheritedDatagrams {
  readonly #fd: number
  readonly #address: string
  readonly #isLeaving: () => boolean
  readonly #held = holdFrom([])
  #opening: Promise<Socket> | undefined
  #lentCount = 0
  #isClosed = false

  constructor(fd: number, address: string, isLeaving: () => boolean) {
    this.#fd = fd
    this.#address = address
    this.#isLeaving = isLeaving
  }

  get isLent(): boolean {
    return this.#lentCount > 0
  }

  closeIdle(): void {
    if (!this.isLent) void this.#opening?.then((socket) => this.#close(socket))
  }

  async lend(earlier: readonly Datagram[] = []): Promise<Datagrams> {
    const { waiting, hold } = this.#held
    waiting.unshift(...earlier)
    this.#opening ??= openSocket({ fd: this.#fd, address: this.#address }, hold)
    const socket = await this.#opening
    this.#lentCount += 1
    let receiver: Receiver | undefined
    const close = () => {
      if (receiver) socket.off('message', receiver)
      if (this.#isLeaving()) this.#close(socket)
    }
    return {
      socket,
      receive: (wanted) => {
        receiver = wanted
        socket.off('message', hold)
        socket.on('message', wanted)
        handTo(wanted, this.#held)
      },
      close: () => {
        this.#lentCount -= 1
        close()
      },
      // What waits in the kernel is for the process that goes on with the socket.
      retire: async () => {
        close()
        return []
      },
    }
  }

  #close(socket: Socket): void {
    if (this.#isClosed) return
    this.#isClosed = true
    socket.close()
  }
}
