import { createSocket, type Socket } from 'node:dgram'
import { createServer, type Server } from 'node:net'
import { backlog, receiveBufferMiB } from '../../core/places/waiting.ts'
import type { Receiver } from './sockets.ts'

/** How a place is had: bound by this process, alone or beside another one, or open already. */
export type Way =
  | { readonly address: string; readonly port: number; readonly sharing?: 'port' | 'address' }
  | { readonly fd: number; readonly address: string }

/** Rejects with the system's error. */
export function openServer(way: Way): Promise<Server> {
  const server = createServer({ allowHalfOpen: true })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    const onListening = () => {
      server.off('error', reject)
      // Out of file descriptors, say: the connection is lost, the service is not.
      server.on('error', () => {})
      resolve(server)
    }
    if ('fd' in way) server.listen({ fd: way.fd, backlog }, onListening)
    else {
      const { address: host, port, sharing } = way
      const ipv6Only = host.includes(':')
      server.listen({ host, port, backlog, ipv6Only, exclusive: true, reusePort: sharing === 'port' }, onListening)
    }
  })
}

/** Rejects with the system's error. `hold` gets whatever comes from the first moment on. */
export function openSocket(way: Way, hold: Receiver): Promise<Socket> {
  const { address } = way
  const family = address.includes(':') ? 6 : 4
  const sharing = 'fd' in way ? undefined : way.sharing
  const socket = createSocket({
    type: `udp${family}`,
    ipv6Only: family === 6,
    reuseAddr: sharing === 'address',
    reusePort: sharing === 'port',
    // Addresses need no resolver. Answering at once also means that a send is over when the call returns.
    lookup: (hostname, _options, callback) => callback(null, hostname, family),
  })
  socket.on('message', hold)
  return new Promise((resolve, reject) => {
    socket.once('error', (error) => {
      socket.close()
      reject(error)
    })
    const onBound = () => {
      socket.removeAllListeners('error')
      // What concerns one peer ("host unreachable") must not end the service for all.
      socket.on('error', () => {})
      if (!('fd' in way)) widenReceiveBuffer(socket)
      resolve(socket)
    }
    if ('fd' in way) socket.bind({ fd: way.fd, exclusive: true }, onBound)
    else socket.bind({ address, port: way.port, exclusive: true }, onBound)
  })
}

/** Of a socket that somebody else has bound it is left as it is: that one may have been allowed more. */
function widenReceiveBuffer(socket: Socket): void {
  try {
    socket.setRecvBufferSize(receiveBufferMiB * 1024 * 1024)
  } catch {
    // The default is smaller, not wrong.
  }
}
