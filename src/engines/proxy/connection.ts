import type { Socket } from 'node:net'
import type { Backend } from '../../core/proxy/backend.ts'
import { chooseBackend } from '../../core/proxy/choose.ts'
import { hasNames } from '../../core/proxy/routes.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import type { Admission } from './admission.ts'
import type { BackendState } from './backend-state.ts'
import type { OpenConnection, ProxyCounters } from './counters.ts'
import { Dial, type DialContext, type Dialled } from './dial.ts'
import { Download } from './download.ts'
import { farewell, type RejectReason } from './farewell.ts'
import type { Listener } from './listener.ts'
import { proxyHeader } from './proxy-header.ts'
import type { ReadBufferPool } from './read-buffers.ts'
import { Relay, type RelayEnd } from './relay.ts'
import { type Protocol, Sniffer, type SniffFault } from './sniff.ts'

/** What all connections of a proxy share. */
export interface ConnectionContext extends DialContext {
  readonly log: Logger
  readonly admission: Admission
  readonly counters: ProxyCounters
  readonly bufferPool: ReadBufferPool
  readonly stateOf: (backend: Backend) => BackendState
}

type End = RejectReason | RelayEnd

const nothing = new Uint8Array(0)

/** The life of one connection: wait for its ClientHello, choose a backend, reach a target, relay, report. */
export class Connection implements OpenConnection {
  readonly port: number
  backendName = ''
  readonly #client: Socket
  readonly #listener: Listener
  readonly #context: ConnectionContext
  readonly #startedAtMs: number
  readonly #source: string
  readonly #sourcePort: number
  #protocol: Protocol = 'tls'
  #serverName: string | undefined
  /** From the client, not sent on yet. */
  #received: Uint8Array = nothing
  #target: Dialled | undefined
  #connectMs: number | undefined
  #isCut = false

  constructor(client: Socket, listener: Listener, context: ConnectionContext) {
    this.port = listener.port
    this.#client = client
    this.#listener = listener
    this.#context = context
    this.#startedAtMs = context.now()
    this.#source = client.remoteAddress ?? ''
    this.#sourcePort = client.remotePort ?? 0
    client.on('error', ignore)
  }

  get bytesUp(): number {
    return this.#target ? this.#client.bytesRead : 0
  }

  get bytesDown(): number {
    return this.#target?.socket.bytesRead ?? 0
  }

  /** Resolves when everything of the connection is closed and accounted for. */
  async serve(): Promise<void> {
    const { admission } = this.#context
    if (!admission.enter(this.#source)) {
      this.#client.destroy()
      this.#account('connection_limit')
      return
    }
    const end = await this.#proceed()
    this.#account(this.#isCut ? 'shutdown' : end)
    if (!this.#client.closed) await new Promise((resolve) => this.#client.once('close', resolve))
    admission.leave(this.#source)
  }

  /** Ends it now, whatever it does. */
  cut(): void {
    this.#isCut = true
    this.#client.destroy()
    this.#target?.socket.destroy()
  }

  async #proceed(): Promise<End> {
    const fault = await this.#sniff()
    if (fault) return this.#reject(fault)
    const request = { serverName: this.#serverName, sourceAddress: this.#source }
    const choice = chooseBackend(this.#listener.routes[this.#protocol], request)
    if (choice.kind === 'refused') return this.#reject(choice.refusal)
    this.backendName = choice.backend.name
    const state = this.#context.stateOf(choice.backend)
    if (choice.backend.targets.length === 0) return this.#reject('no_target')
    if (state.isFull) return this.#reject('backend_limit')
    state.open += 1
    const end = await this.#reachAndRelay(state)
    state.open -= 1
    return end
  }

  async #reachAndRelay(state: BackendState): Promise<End> {
    const download = new Download(this.#client, this.#context.bufferPool)
    const dialled = await this.#dial(state, download)
    if (!dialled) return this.#client.destroyed ? 'client_closed' : this.#reject('backend_unreachable')
    this.#target = dialled
    this.#context.counters.observeConnectSeconds((this.#connectMs ?? 0) / 1000)
    download.from(dialled.socket)
    state.opened(dialled.target)
    const relay = new Relay(this.#client, dialled.socket, this.#firstBytes(state.backend), this.#context.limits)
    this.#received = nothing
    const end = await relay.done
    state.closed(dialled.target)
    return end
  }

  #firstBytes({ proxyProtocol }: Backend): Uint8Array {
    if (!proxyProtocol) return this.#received
    const header = proxyHeader({
      sourceAddress: this.#source,
      sourcePort: this.#sourcePort,
      destinationAddress: this.#listener.address,
      destinationPort: this.port,
    })
    return Buffer.concat([header, this.#received])
  }

  async #sniff(): Promise<SniffFault | undefined> {
    const { admission, limits } = this.#context
    const sniffer = new Sniffer(this.#client, limits.sniffTimeoutMs, hasNames(this.#listener.routes.http))
    admission.wait(this.#source, sniffer)
    const sniffed = await sniffer.done
    admission.decided(sniffer)
    this.#protocol = sniffed.protocol
    if (sniffed.kind === 'fault') return sniffed.fault
    this.#serverName = sniffed.serverName
    this.#received = sniffed.received
    return undefined
  }

  async #dial(state: BackendState, download: Download): Promise<Dialled | undefined> {
    const startedAtMs = this.#context.now()
    const dial = new Dial(state, this.#context, download.onread)
    const onEnd = () => dial.dontRepeat()
    const onClose = () => dial.abandon()
    this.#client.on('end', onEnd)
    this.#client.on('close', onClose)
    const dialled = await dial.run()
    this.#client.off('end', onEnd)
    this.#client.off('close', onClose)
    this.#connectMs = this.#context.now() - startedAtMs
    if (!dialled || !this.#client.destroyed) return dialled
    dialled.socket.destroy()
    return undefined
  }

  #reject(reason: RejectReason): RejectReason {
    farewell(this.#client, this.#protocol, reason, this.#context.limits.lingerMs)
    return reason
  }

  #account(end: End): void {
    const { counters, log, now } = this.#context
    if (this.backendName === '') counters.rejected(this.port, end)
    else counters.routed(this, end)
    log.info(
      {
        client: `${this.#source}:${this.#sourcePort}`,
        listener: `${this.#listener.address}:${this.port}`,
        [this.#protocol === 'tls' ? 'sni' : 'host']: this.#serverName,
        backend: this.backendName || undefined,
        target: this.#target && `${this.#target.address}:${this.#target.target.port}`,
        bytesUp: this.bytesUp,
        bytesDown: this.bytesDown,
        connectMs: this.#connectMs,
        durationMs: now() - this.#startedAtMs,
        reason: end,
      },
      'connection',
    )
  }
}

function ignore(): void {}
