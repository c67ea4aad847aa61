import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type sendUnaryData,
} from '@grpc/grpc-js'
import { type AccessLogMessage, accessLogService, type ConnectionEntry } from '../clients/access-log-service.ts'
import type { Rejection } from './channel.ts'
import { Conversation } from './conversation.ts'
import { DeltaChannel } from './delta-channel.ts'
import {
  type DeltaRequest,
  type DeltaResponse,
  type DiscoveryRequest,
  type DiscoveryResponse,
  discoveryService,
} from './discovery.ts'
import { emptySnapshot, type Snapshot } from './snapshot.ts'
import { SotwChannel } from './sotw-channel.ts'

/** What the server tells of an Envoy that is connected. */
interface Peer {
  readonly isConverged: boolean
  readonly rejections: readonly Rejection[]
  serve(snapshot: Snapshot): void
  retry(): void
}

export interface XdsEvents {
  /** After each answer of an Envoy, and when one comes or goes. */
  readonly onChange: () => void
  /** What an Envoy tells of the connections it carries. */
  readonly onConnections: (entries: readonly ConnectionEntry[]) => void
}

/** Tells every Envoy that connects what to do: Envoy's aggregated discovery service, incremental and not. And hears what they do. */
export class XdsServer {
  readonly #server = new Server({ 'grpc.keepalive_time_ms': 30_000, 'grpc.keepalive_timeout_ms': 5000 })
  readonly #peers = new Set<Peer>()
  readonly #onChange: () => void
  #snapshot: Snapshot | undefined
  #nonces = 0
  #wasTaughtBefore = false
  rejected = 0
  accepted = 0

  constructor({ onChange, onConnections }: XdsEvents) {
    this.#onChange = onChange
    this.#server.addService(discoveryService(), {
      DeltaAggregatedResources: (stream: ServerDuplexStream<DeltaRequest, DeltaResponse>) => {
        const send = (response: DeltaResponse) => void stream.write(response)
        this.#converse(stream, {
          clusters: new DeltaChannel('clusters', send, this.#nextNonce),
          endpoints: new DeltaChannel('endpoints', send, this.#nextNonce),
          listeners: new DeltaChannel('listeners', send, this.#nextNonce),
        })
      },
      StreamAggregatedResources: (stream: ServerDuplexStream<DiscoveryRequest, DiscoveryResponse>) => {
        const send = (response: DiscoveryResponse) => void stream.write(response)
        this.#converse(stream, {
          clusters: new SotwChannel('clusters', send, this.#nextNonce),
          endpoints: new SotwChannel('endpoints', send, this.#nextNonce),
          listeners: new SotwChannel('listeners', send, this.#nextNonce),
        })
      },
    })
    this.#server.addService(accessLogService(), {
      StreamAccessLogs: (stream: ServerReadableStream<AccessLogMessage, object>, answer: sendUnaryData<object>) => {
        stream.on('data', ({ logEntries }: AccessLogMessage) => {
          if (logEntries.case === 'httpLogs') onConnections(logEntries.value.logEntry)
        })
        stream.on('end', () => answer(null, {}))
        stream.on('error', () => {})
      },
    })
  }

  /** The port it got; on this host only. Throws as `listen` does. */
  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
        if (error) reject(error)
        else resolve(bound)
      })
    })
  }

  /** What every Envoy is to have from now on. Before the first call they are told nothing and wait. */
  publish(snapshot: Snapshot): void {
    this.#snapshot = snapshot
    for (const peer of this.#peers) peer.serve(snapshot)
  }

  /** Not in answer to a rejection, that would never end: now and then. */
  retryRejected(): void {
    for (const peer of this.#peers) peer.retry()
  }

  get snapshot(): Snapshot {
    return this.#snapshot ?? emptySnapshot
  }

  get connected(): number {
    return this.#peers.size
  }

  /** Did an Envoy come that knew something already, from a server before this one? */
  get wasTaughtBefore(): boolean {
    return this.#wasTaughtBefore
  }

  /** Does every Envoy that is connected have all of it, but for what it rejects? */
  get isConverged(): boolean {
    return this.#peers.size > 0 && [...this.#peers].every((peer) => peer.isConverged)
  }

  get rejections(): readonly Rejection[] {
    return [...this.#peers].flatMap((peer) => peer.rejections)
  }

  close(): void {
    this.#server.forceShutdown()
  }

  readonly #nextNonce = (): string => {
    this.#nonces += 1
    return String(this.#nonces)
  }

  #converse<Request extends DeltaRequest | DiscoveryRequest, Response>(
    stream: ServerDuplexStream<Request, Response>,
    channels: ConstructorParameters<typeof Conversation<Request>>[0],
  ): void {
    const peer = new Conversation<Request>(channels)
    this.#peers.add(peer)
    if (this.#snapshot) peer.serve(this.#snapshot)
    stream.on('data', (request: Request) => {
      if (request.errorDetail) this.rejected += 1
      else if (request.responseNonce !== '') this.accepted += 1
      else this.#wasTaughtBefore ||= isTaught(request)
      peer.receive(request)
      this.#onChange()
    })
    const leave = () => {
      if (this.#peers.delete(peer)) this.#onChange()
    }
    stream.on('end', () => {
      leave()
      stream.end()
    })
    stream.on('error', leave)
    stream.on('close', leave)
    this.#onChange()
  }
}

/** Its first request on a stream says what it has. */
function isTaught(request: DeltaRequest | DiscoveryRequest): boolean {
  if ('versionInfo' in request) return request.versionInfo !== ''
  return Object.keys(request.initialResourceVersions).length > 0
}
