import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js'
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

/** Tells every Envoy that connects what to do: Envoy's aggregated discovery service, incremental and not. */
export class XdsServer {
  readonly #server = new Server({ 'grpc.keepalive_time_ms': 30_000, 'grpc.keepalive_timeout_ms': 5000 })
  readonly #peers = new Set<Peer>()
  readonly #onChange: () => void
  #snapshot: Snapshot | undefined
  #nonces = 0
  rejected = 0
  accepted = 0

  /** `onChange` is called after each message of an Envoy, and when one comes or goes. */
  constructor(onChange: () => void = () => {}) {
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
