import { connect, type OnReadOpts, type Socket } from 'node:net'

export interface AttemptOptions {
  readonly address: string
  readonly port: number
  readonly timeoutMs: number
  readonly keepAliveAfterMs: number
  readonly onread: OnReadOpts
}

/** One try to connect to one address. */
export class Attempt {
  readonly socket: Socket
  /** Undefined once connected, else why not. */
  readonly failure: Promise<string | undefined>

  constructor({ address, port, timeoutMs, keepAliveAfterMs, onread }: AttemptOptions) {
    const socket = connect({
      host: address,
      port,
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveAfterMs,
      autoSelectFamily: false,
      onread,
    })
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

function ignore(): void {}
