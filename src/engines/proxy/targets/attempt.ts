import { connect, type OnReadOpts } from 'node:net'
import { HandleSocket } from '../bytes/handle-socket.ts'
import type { TcpHandles } from '../bytes/tcp-handles.ts'
import type { Wire } from '../bytes/wire.ts'

export interface AttemptOptions {
  readonly address: string
  readonly port: number
  readonly timeoutMs: number
  readonly keepAliveAfterMs: number
  readonly onread: OnReadOpts
  readonly handles: TcpHandles | undefined
}

/** One try to connect to one address. */
export class Attempt {
  readonly socket: Wire
  /** Undefined once connected, else why not. */
  readonly failure: Promise<string | undefined>

  constructor(options: AttemptOptions) {
    const { address, port, timeoutMs } = options
    const socket = wireTo(options)
    this.socket = socket
    this.failure = new Promise((resolve) => {
      // Without an error of its own, a socket that closes unconnected was closed for taking too long.
      let failure = `${address}:${port} did not answer in time`
      const timer = setTimeout(() => socket.destroy(), timeoutMs)
      const onClose = () => {
        clearTimeout(timer)
        resolve(failure)
      }
      socket.once('close', onClose)
      const onError = (error: Error) => {
        failure = error.message
      }
      socket.on('error', onError)
      socket.once('connect', () => {
        clearTimeout(timer)
        // Nothing of the attempt stays with a connection that may live for days, and there are thousands of them.
        socket.off('close', onClose)
        socket.on('error', ignore)
        socket.off('error', onError)
        resolve(undefined)
      })
    })
  }
}

function wireTo({ address, port, keepAliveAfterMs, onread, handles }: AttemptOptions): Wire {
  if (handles) return HandleSocket.connect(handles, { address, port, keepAliveAfterMs, onread })
  return connect({
    host: address,
    port,
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: keepAliveAfterMs,
    autoSelectFamily: false,
    onread,
  })
}

function ignore(): void {}
