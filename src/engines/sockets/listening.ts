import type { Server, Socket } from 'node:net'
import { openServer, type Way } from './open.ts'
import type { Listening } from './sockets.ts'

type Attach = Parameters<Listening['accept']>[0]

/** Connections that came before anybody wanted them. */
class WaitingRoom {
  readonly #server: Server
  readonly #waiting: Socket[] = []

  constructor(server: Server) {
    this.#server = server
    server.on('connection', this.#admit)
  }

  readonly #admit = (socket: Socket): void => {
    // A client that does not wait that long is none any more.
    socket.on('error', () => {})
    this.#waiting.push(socket)
  }

  /** To whoever takes connections from the server now. */
  empty(): void {
    this.#server.off('connection', this.#admit)
    for (const socket of this.#waiting.splice(0)) if (!socket.destroyed) this.#server.emit('connection', socket)
  }

  dismiss(): void {
    this.#server.off('connection', this.#admit)
    for (const socket of this.#waiting.splice(0)) socket.resetAndDestroy()
  }
}

/** A port that this process has opened, and closes. */
export async function listenOn(way: Way): Promise<Listening> {
  const server = await openServer(way)
  const waitingRoom = new WaitingRoom(server)
  return {
    port: portOf(server),
    accept: (attach) => {
      attach(server)
      waitingRoom.empty()
    },
    close: () => {
      waitingRoom.dismiss()
      server.close()
    },
  }
}

/**
 * A listening socket that was open before this process began. It is opened when it is first wanted; until then
 * connections wait in the kernel. An fd that is closed is gone, so it stays open when its user has had enough of it, and
 * connections are refused by resetting them, until somebody uses it again.
 */
export class InheritedListening {
  readonly #fd: number
  readonly #address: string
  readonly #isLeaving: () => boolean
  #server: Server | undefined
  #isLent = false

  /** `isLeaving`: another process goes on with the socket, so that ours is not needed any more. */
  constructor(fd: number, address: string, isLeaving: () => boolean) {
    this.#fd = fd
    this.#address = address
    this.#isLeaving = isLeaving
  }

  get isLent(): boolean {
    return this.#isLent
  }

  closeIdle(): void {
    if (!this.#isLent) this.#server?.close()
  }

  async lend(): Promise<Listening> {
    this.#isLent = true
    const server = this.#server ?? (await openServer({ fd: this.#fd, address: this.#address }))
    this.#server = server
    server.off('connection', refuse)
    const waitingRoom = new WaitingRoom(server)
    let detach = () => {}
    return {
      port: portOf(server),
      accept: (attach: Attach) => {
        detach = attach(server)
        waitingRoom.empty()
      },
      close: () => {
        waitingRoom.dismiss()
        detach()
        detach = () => {}
        if (this.#isLeaving()) server.close()
        else if (this.#isLent) server.on('connection', refuse)
        this.#isLent = false
      },
    }
  }
}

function refuse(socket: Socket): void {
  socket.on('error', () => {})
  socket.resetAndDestroy()
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
