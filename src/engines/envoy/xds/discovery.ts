import type { MethodDefinition } from '@grpc/grpc-js'
import { type Codec, envoyMessages } from './messages.ts'
import { streamMethod } from './stream-method.ts'

/** The messages of Envoy's discovery protocol, as far as they are used here. */

interface AnyMessage {
  readonly typeUrl: string
  readonly value: Uint8Array
}

interface Failure {
  readonly code: number
  readonly message: string
}

/** State of the world: every response has all resources of its type (of endpoints: those asked for). */
export interface DiscoveryRequest {
  readonly typeUrl: string
  readonly responseNonce: string
  readonly versionInfo: string
  readonly resourceNames: readonly string[]
  /** Present when the response was rejected, and only then. */
  readonly errorDetail?: Failure
}

export interface DiscoveryResponse {
  readonly typeUrl: string
  readonly versionInfo: string
  readonly nonce: string
  readonly resources: readonly AnyMessage[]
}

/** Incremental: every response has what changed. */
export interface DeltaRequest {
  readonly typeUrl: string
  readonly responseNonce: string
  readonly resourceNamesSubscribe: readonly string[]
  readonly resourceNamesUnsubscribe: readonly string[]
  /** What Envoy has from an earlier stream. */
  readonly initialResourceVersions: Readonly<Record<string, string>>
  readonly errorDetail?: Failure
}

export interface DeltaResponse {
  readonly typeUrl: string
  readonly nonce: string
  readonly resources: readonly { readonly name: string; readonly version: string; readonly resource: AnyMessage }[]
  readonly removedResources: readonly string[]
}

const service = 'envoy.service.discovery.v3'

export function discoveryService(): {
  readonly StreamAggregatedResources: MethodDefinition<DiscoveryRequest, DiscoveryResponse>
  readonly DeltaAggregatedResources: MethodDefinition<DeltaRequest, DeltaResponse>
} {
  const messages = envoyMessages()
  return {
    StreamAggregatedResources: bidirectional(
      'StreamAggregatedResources',
      messages.codec<DiscoveryRequest>(`${service}.DiscoveryRequest`),
      messages.codec<DiscoveryResponse>(`${service}.DiscoveryResponse`),
    ),
    DeltaAggregatedResources: bidirectional(
      'DeltaAggregatedResources',
      messages.codec<DeltaRequest>(`${service}.DeltaDiscoveryRequest`),
      messages.codec<DeltaResponse>(`${service}.DeltaDiscoveryResponse`),
    ),
  }
}

function bidirectional<Request, Response>(
  name: string,
  request: Codec<Request>,
  response: Codec<Response>,
): MethodDefinition<Request, Response> {
  const path = `/${service}.AggregatedDiscoveryService/${name}`
  return streamMethod({ path, request, response, responseStream: true })
}
