import type { OnReadOpts, Server, Socket } from 'node:net'
import { HandleSocket } from './handle-socket.ts'
import type { TcpHandles } from './tcp-handles.ts'
import type { Wire } from './wire.ts'

/** Makes the socket of a connection that has come in; what arrives on it is read into the buffers of `onread`. */
export type Accept = (onread: OnReadOpts) => Wire

/** What Node keeps inside a Server that listens. */
interface ListeningHandle {
  onconnection: (status: number, client: unknown) => void
  setNoDelay(isOn: boolean): unknown
  setKeepAlive(isOn: boolean, afterSeconds: number): unknown
}

export interface AcceptOptions {
  readonly keepAliveAfterMs: number
  /** Without it: keep to what Node documents, though it costs. */
  readonly handles: TcpHandles | undefined
}

/**
 * Hands every connection of a listening server to `onConnection`. Node lets the maker of an outgoing socket say where
 * its bytes are read to, but makes incoming ones itself, each read of theirs into 64 KiB of new memory. So the
 * connections are taken from the server's inner handle, before it has made sockets of them. Where a version of Node has
 * no such handle, they are taken the documented way, and only the price is another. What is returned ends it.
 */
export function acceptFrom(server: Server, options: AcceptOptions, onConnection: (accept: Accept) => void): () => void {
  // Also those that the server took before this call come as sockets.
  const onSocket = (socket: Socket) => {
    socket.setNoDelay(true)
    socket.setKeepAlive(true, options.keepAliveAfterMs)
    onConnection((onread) => readInto(socket, onread))
  }
  server.on('connection', onSocket)
  const { handles } = options
  const handle: unknown = handles && Reflect.get(server, '_handle')
  if (!handles || !isListeningHandle(handle)) return () => server.off('connection', onSocket)
  // Linux gives an accepted connection the options of the socket it came through: set once instead of thousands of times.
  handle.setNoDelay(true)
  handle.setKeepAlive(true, Math.ceil(options.keepAliveAfterMs / 1000))
  const nodesOwn = handle.onconnection
  handle.onconnection = (status, client) => {
    if (status !== 0 || !(client instanceof handles.Tcp)) nodesOwn.call(handle, status, client)
    else onConnection((onread) => HandleSocket.accepted(handles, client, onread))
  }
  return () => {
    handle.onconnection = nodesOwn
    server.off('connection', onSocket)
  }
}

/** The same for a socket that Node has made: its bytes come in buffers of their own, which is all that `onread` relies on. */
function readInto(socket: Socket, { callback }: OnReadOpts): Socket {
  socket.on('data', (bytes) => {
    if (!callback(bytes.length, bytes)) socket.pause()
  })
  return socket
}

function isListeningHandle(handle: unknown): handle is ListeningHandle {
  return ['onconnection', 'setNoDelay', 'setKeepAlive'].every(
    (name) => typeof handle === 'object' && handle !== null && typeof Reflect.get(handle, name) === 'function',
  )
}
