import { closeSoon } from '../farewell.ts'
import type { Phase } from '../phase.ts'
import type { Wire } from './wire.ts'

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

/** Every way in which two joined sockets come to their end. One direction may end long before the other. */
export class Relay implements Phase {
  /** When both sockets are closed. */
  readonly done: Promise<void>
  readonly #target: Wire
  readonly #times: RelayTimes
  #end: RelayEnd | undefined
  #finish: () => void = () => {}

  constructor(client: Wire, target: Wire, times: RelayTimes) {
    this.#target = target
    this.#times = times
    this.done = new Promise((resolve) => {
      this.#finish = resolve
    })
    target.on('error', () => this.#endBy('backend_error'))
    target.on('end', () => {
      this.#endBy('backend_closed')
      passOnEnd(client)
    })
    target.on('close', () => this.#closed(client))
    // Every byte either way passes the client's socket, so its silence is the silence of both.
    client.setTimeout(times.idleTimeoutMs, () => {
      this.#endBy('idle_timeout')
      client.destroy()
      target.destroy()
    })
  }

  /** What ended it, once it is done. */
  get end(): RelayEnd {
    return this.#end ?? 'client_closed'
  }

  clientEnded(): void {
    this.#endBy('client_closed')
    passOnEnd(this.#target)
  }

  clientClosed(): void {
    this.#closed(this.#target)
  }

  clientFailed(): void {
    this.#endBy('client_error')
  }

  #closed(other: Wire): void {
    if (other.closed) this.#finish()
    else closeSoon(other, this.#times.lingerMs)
  }

  #endBy(end: RelayEnd): void {
    this.#end ??= end
  }
}

/** Tells the other side that nothing more comes; where it has ended too and has all its bytes, closing says the same. */
function passOnEnd(socket: Wire): void {
  if (socket.readableEnded && socket.writableLength === 0) socket.destroy()
  else socket.end()
}
