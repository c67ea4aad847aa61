import { once } from 'node:events'
import { Agent, buildConnector, request, WebSocket } from 'undici'
import { z } from 'zod'

/** Where a visitor of this machine gets in: loopback ports that lead to the ports 80 and 443 of whoever routes. */
export interface Door {
  readonly http: number
  readonly https: number
  readonly ca: string
}

const told = z.object({ backend: z.string(), path: z.string() })

/** Goes to names as a browser does, but knows the way to the door without asking DNS. */
export class Visitor implements AsyncDisposable {
  readonly #agent: Agent
  readonly #host: string

  constructor(door: Door, host: string) {
    this.#host = host
    const plain = buildConnector({})
    // A WebSocket begins with HTTP/1.1; Envoy would rather speak HTTP/2.
    const secure = buildConnector({ ca: door.ca, servername: host, allowH2: false })
    this.#agent = new Agent({
      allowH2: false,
      headersTimeout: 5000,
      connect: (options, callback) => {
        const isSecure = options.protocol === 'https:'
        const port = String(isSecure ? door.https : door.http)
        const way = isSecure ? secure : plain
        way({ ...options, hostname: '127.0.0.1', host: '127.0.0.1', port }, callback)
      },
    })
  }

  /** Which backend answers; undefined while none does. */
  async ask(scheme: 'http' | 'https', path = '/'): Promise<string | undefined> {
    const { statusCode, body } = await request(`${scheme}://${this.#host}${path}`, { dispatcher: this.#agent })
    const text = await body.text()
    return statusCode === 200 ? told.parse(JSON.parse(text)).backend : undefined
  }

  /** An open WebSocket over TLS. */
  async connect(): Promise<Conversation> {
    const socket = new WebSocket(`wss://${this.#host}/socket`, { dispatcher: this.#agent })
    await once(socket, 'open')
    return new Conversation(socket)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy()
  }
}

export class Conversation {
  readonly #socket: WebSocket

  constructor(socket: WebSocket) {
    this.#socket = socket
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  /** What came back. */
  async say(text: string): Promise<string> {
    const answer = once(this.#socket, 'message')
    this.#socket.send(text)
    const [event] = await answer
    return String(event.data)
  }

  close(): void {
    this.#socket.close()
  }
}
