import type { MethodDefinition } from '@grpc/grpc-js'
import type { Codec } from './messages.ts'

interface StreamMethod<Request, Response> {
  /** `/package.Service/Method` */
  readonly path: string
  readonly request: Codec<Request>
  readonly response: Codec<Response>
  readonly responseStream: boolean
}

/** A method of a gRPC service in which Envoy does not stop talking. */
export function streamMethod<Request, Response>({
  path,
  request,
  response,
  responseStream,
}: StreamMethod<Request, Response>): MethodDefinition<Request, Response> {
  return {
    path,
    requestStream: true,
    responseStream,
    requestSerialize: (message) => Buffer.from(request.encode(message)),
    requestDeserialize: request.decode,
    responseSerialize: (message) => Buffer.from(response.encode(message)),
    responseDeserialize: response.decode,
  }
}
