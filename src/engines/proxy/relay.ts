import type { Socket } from 'node:net'
import { closeSoon } from './farewell.ts'

/** What ended a relayed connection. */
export type RelayEnd =
  | 'client_closed'
  | 'backend_closed'
  | 'client_error'
  | 'backend_error'
  | 'idle_timeout'
  | 'shutdown'

export interface RelayTimes {
  readonly idleTimeoutMs: number
  readonly lingerMs: number
}

/**
 * Carries bytes between a client and its target until both directions have ended. One direction may end long before
 * the other. From target to client the bytes flow by `Download`; here is the way up, and every way to end.
 */
export class Relay {
  /** When both sockets are closed. */
  readonly done: Promise<RelayEnd>
  readonly #client: Socket
  readonly #target: Socket
  readonly #times: RelayTimes
  #end: RelayEnd | undefined
  #finish: (end: RelayEnd) => void = () => {}

  /** `first` are the bytes already taken from the client. */
  constructor(client: Socket, target: Socket, first: Uint8Array, times: RelayTimes) {
    this.#client = client
    this.#target = target
    this.#times = times
    this.done = new Promise((resolve) => {
      this.#finish = resolve
    })
    this.#joinUpload(first)
    this.#joinEnds()
  }

  #joinUpload(first: Uint8Array): void {
    const [client, target] = [this.#client, this.#target]
    client.on('data', (bytes) => {
      if (!target.write(bytes)) client.pause()
    })
    target.on('drain', () => client.resume())
    if (target.write(first)) client.resume()
  }

  #joinEnds(): void {
    const [client, target] = [this.#client, this.#target]
    const { idleTimeoutMs, lingerMs } = this.#times
    client.on('error', () => this.#endBy('client_error'))
    target.on('error', () => this.#endBy('backend_error'))
    const onClientEnd = () => {
      this.#endBy('client_closed')
      target.end()
    }
    client.on('end', onClientEnd)
    if (client.readableEnded) onClientEnd()
    target.on('end', () => {
      this.#endBy('backend_closed')
      client.end()
    })
    const onClose = (other: Socket) => {
      if (other.closed) this.#finish(this.#end ?? 'client_closed')
      else closeSoon(other, lingerMs)
    }
    client.on('close', () => onClose(target))
    target.on('close', () => onClose(client))
    // Every byte either way passes the client's socket, so its silence is the silence of both.
    client.setTimeout(idleTimeoutMs, () => {
      this.#endBy('idle_timeout')
      client.destroy()
      target.destroy()
    })
  }

  #endBy(end: RelayEnd): void {
    this.#end ??= end
  }
}
