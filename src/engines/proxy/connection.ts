import type { Backend } from '../../core/proxy/backend.ts'
import { chooseBackend } from '../../core/proxy/choose.ts'
import { hasNames, isRaw, type PortRoutes } from '../../core/proxy/routes.ts'
import type { Sightings } from '../../core/trace/sightings.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import type { Admission } from './admission.ts'
import type { Accept } from './bytes/accept.ts'
import { Flow } from './bytes/flow.ts'
import type { ReadBufferPool } from './bytes/read-buffers.ts'
import { Relay, type RelayEnd } from './bytes/relay.ts'
import type { Wire } from './bytes/wire.ts'
import type { OpenConnection, ProxyCounters } from './counters.ts'
import { farewell, type RejectReason } from './farewell.ts'
import { type PortUse, type Protocol, Sniffer } from './hello/sniff.ts'
import type { Listener } from './listener.ts'
import type { Phase } from './phase.ts'
import type { BackendState } from './targets/backend-state.ts'
import { Dial, type DialContext, type Dialled } from './targets/dial.ts'
import { proxyHeader } from './targets/proxy-header.ts'

/** What all connections of a proxy share. */
export interface ConnectionContext extends DialContext {
  readonly log: Logger
  readonly admission: Admission
  readonly counters: ProxyCounters
  readonly bufferPool: ReadBufferPool
  readonly stateOf: (backend: Backend) => BackendState
  /** How far the machines of the VLAN came. */
  readonly sightings: Sightings
}

type End = RejectReason | RelayEnd

const nothing = new Uint8Array(0)

/** The life of one connection: wait for its ClientHello, choose a backend, reach a target, relay, report. */
export class Connection implements OpenConnection {
  readonly port: number
  backendName = ''
  readonly #client: Wire
  readonly #upload: Flow
  readonly #listener: Listener
  readonly #context: ConnectionContext
  readonly #startedAtMs: number
  readonly #source: string
  readonly #sourcePort: number
  /** Only until there is a target: connections may live for days, and there are thousands of them. */
  #sniffer: Sniffer | undefined
  #protocol: Protocol = 'tls'
  #phase: Phase | undefined
  #serverName: string | undefined
  #target: Dialled | undefined
  #connectMs: number | undefined
  #isCut = false

  constructor(accept: Accept, listener: Listener, context: ConnectionContext) {
    this.port = listener.port
    this.#listener = listener
    this.#context = context
    this.#startedAtMs = context.now()
    const sniffer = new Sniffer(context.limits.sniffTimeoutMs, useOf(listener.routes))
    this.#sniffer = sniffer
    this.#phase = sniffer
    this.#upload = new Flow(context.bufferPool, sniffer.read)
    const client = accept(this.#upload.onread)
    this.#client = client
    this.#source = client.remoteAddress ?? ''
    this.#sourcePort = client.remotePort ?? 0
    client.on('error', () => this.#phase?.clientFailed?.())
    client.on('end', () => this.#phase?.clientEnded())
    client.on('close', () => {
      this.#upload.release()
      this.#phase?.clientClosed()
    })
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
      this.#sniffer?.evict()
      this.#client.destroy()
      this.#account('connection_limit')
      return
    }
    const state = await this.#route()
    const end = typeof state === 'string' ? this.#reject(state) : await this.#reachAndRelay(state)
    this.#account(this.#isCut ? 'shutdown' : end)
    if (!this.#client.closed) await new Promise<void>((resolve) => this.#client.once('close', resolve))
    admission.leave(this.#source)
  }

  /** Ends it now, whatever it does. */
  cut(): void {
    this.#isCut = true
    this.#client.destroy()
    this.#target?.socket.destroy()
  }

  /** The backend that the client asks for, or why it gets none. */
  async #route(): Promise<BackendState | RejectReason> {
    const { admission, stateOf } = this.#context
    const sniffer = this.#sniffer
    if (!sniffer) return 'eof'
    admission.wait(this.#source, sniffer)
    const sniffed = await sniffer.done
    admission.decided(sniffer)
    this.#protocol = sniffer.protocol
    if (sniffed.kind === 'fault') return sniffed.fault
    this.#serverName = sniffed.serverName
    const request = { serverName: sniffed.serverName, sourceAddress: this.#source }
    const choice = chooseBackend(this.#listener.routes[sniffer.protocol], request)
    if (choice.kind === 'refused') return choice.refusal
    this.backendName = choice.backend.name
    const state = stateOf(choice.backend)
    if (choice.backend.targets.length === 0) {
      this.#trace((sightings, nowMs) => sightings.failed(this.#source, this.backendName, 'it has no endpoints', nowMs))
      return 'no_target'
    }
    return state.isFull ? 'backend_limit' : state
  }

  async #reachAndRelay(state: BackendState): Promise<End> {
    state.open += 1
    const download = new Flow(this.#context.bufferPool)
    const dialled = await this.#dial(state, download)
    const relay = dialled && !this.#client.destroyed ? this.#join(dialled, download, state.backend) : undefined
    if (relay && dialled) {
      state.opened(dialled.target)
      this.#trace((sightings, nowMs) => {
        sightings.reached(this.#source, this.backendName, nowMs)
        sightings.opened(this.#source, nowMs)
      })
      await relay.done
      this.#trace((sightings, nowMs) => sightings.closed(this.#source, nowMs))
      state.closed(dialled.target)
    }
    state.open -= 1
    if (relay) return relay.end
    dialled?.socket.destroy()
    this.#trace((sightings, nowMs) =>
      sightings.failed(this.#source, this.backendName, state.report().lastError ?? '', nowMs),
    )
    return this.#client.destroyed ? 'client_closed' : this.#reject('backend_unreachable')
  }

  #trace(note: (sightings: Sightings, nowMs: number) => void): void {
    if (this.#listener.side === 'vlan') note(this.#context.sightings, this.#context.now())
  }

  #join(dialled: Dialled, download: Flow, backend: Backend): Relay {
    const [client, { socket }] = [this.#client, dialled]
    this.#target = dialled
    this.#context.counters.observeConnectSeconds((this.#connectMs ?? 0) / 1000)
    const relay = new Relay(client, socket, this.#context.limits)
    this.#phase = relay
    socket.on('close', () => download.release())
    this.#upload.join(client, socket, this.#firstBytes(backend))
    this.#sniffer = undefined
    download.join(socket, client)
    if (client.readableEnded) relay.clientEnded()
    return relay
  }

  #firstBytes({ proxyProtocol }: Backend): Uint8Array {
    const received = this.#sniffer?.received ?? nothing
    if (!proxyProtocol) return received
    const header = proxyHeader({
      sourceAddress: this.#source,
      sourcePort: this.#sourcePort,
      destinationAddress: this.#listener.address,
      destinationPort: this.port,
    })
    return Buffer.concat([header, received])
  }

  async #dial(state: BackendState, download: Flow): Promise<Dialled | undefined> {
    const startedAtMs = this.#context.now()
    const dial = new Dial(state, this.#context, download.onread)
    this.#phase = dial
    if (this.#client.readableEnded) dial.clientEnded()
    if (this.#client.destroyed) dial.clientClosed()
    const dialled = await dial.run()
    this.#phase = undefined
    this.#connectMs = this.#context.now() - startedAtMs
    return dialled
  }

  #reject(reason: RejectReason): RejectReason {
    this.#phase = undefined
    this.#upload.discard()
    farewell(this.#client, this.#protocol, reason, this.#context.limits.lingerMs)
    return reason
  }

  #account(end: End): void {
    const { counters, log, now } = this.#context
    if (this.backendName === '') counters.rejected(this.port, end)
    else counters.routed(this, end)
    if (!log.isLevelEnabled('info')) return
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

function useOf(routes: PortRoutes): PortUse {
  if (isRaw(routes)) return 'raw'
  return hasNames(routes.http) ? 'tls-or-http' : 'tls'
}
