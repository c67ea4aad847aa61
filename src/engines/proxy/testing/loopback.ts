import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { freePorts } from '../../../../test/envtest/ports.ts'

/** Listens on any free port of a loopback address and says which. */
export async function listenOnLoopback(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  return portOf(server)
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server is not listening on a port')
  return address.port
}

/** A port that is free, for what must be told its port in advance. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const [port = 0] = await freePorts(1, host)
  return port
}

export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return
  server.close()
  await once(server, 'close')
}

/** A TCP server that is told each connection, and takes all of them down with itself. */
export class TestServer {
  readonly sockets = new Set<Socket>()
  readonly #server: Server
  port = 0

  constructor(onConnection: (socket: Socket) => void) {
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      this.sockets.add(socket)
      socket.on('error', () => {})
      onConnection(socket)
    })
  }

  async start(): Promise<this> {
    this.port = await listenOnLoopback(this.#server)
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    await closeServer(this.#server)
  }
}

/** Sends everything back, ends when the other side ends. */
export function echoServer(): Promise<TestServer> {
  return new TestServer((socket) => socket.pipe(socket)).start()
}

export async function connectTo(port: number, host = '127.0.0.1', from = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ host, port, localAddress: from, allowHalfOpen: true })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Everything a socket receives until its peer ends, or until the connection breaks. */
export function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  return new Promise((resolve) => {
    socket.on('data', (chunk) => chunks.push(chunk))
    const finish = () => resolve(Buffer.concat(chunks))
    socket.once('end', finish)
    socket.once('close', finish)
    if (socket.readableEnded || socket.closed) finish()
  })
}

/** The next `length` bytes; what comes after them stays in the socket. */
export function readExactly(socket: Socket, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const attempt = () => {
      const chunk: Buffer | null = socket.read(length)
      if (chunk === null && !socket.readableEnded && !socket.destroyed) return
      socket.off('readable', attempt)
      socket.off('end', attempt)
      socket.off('close', attempt)
      if (chunk?.length === length) resolve(chunk)
      else reject(new Error(`the connection ended before ${length} bytes`))
    }
    socket.on('readable', attempt)
    socket.on('end', attempt)
    socket.on('close', attempt)
    attempt()
  })
}
