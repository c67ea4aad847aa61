import { shortHash } from '../short-hash.ts'
import { portOf, type ServicePort } from './choose.ts'
import type { NoMatch, ResolvedBackend } from './resolve.ts'
import { type StubPort, stubPorts } from './stub.ts'

/** Where a route leads in the object that is made: always a Service of its own namespace. */
export interface Target {
  readonly name: string
  readonly port: ServicePort
  /** The port as a number, where one is known. */
  readonly number: number | undefined
}

/** By the fields of the backends. */
export type Targets = ReadonlyMap<string, Target>

export type Publication =
  /** `stubPorts` are those of the Service that answers 503 for routes that have no other; none: it is not needed. */
  | { readonly is: 'published'; readonly targets: Targets; readonly stubPorts: readonly StubPort[] }
  /** Nothing is made; `targets` is what it would be, to be shown to the API server. */
  | { readonly is: 'held' | 'withdrawn'; readonly targets: Targets }

export interface PublishOptions {
  /** Of the VirtualIngress. */
  readonly name: string
  readonly noMatch: NoMatch
  /** Something was made before: it is not taken away for the sake of one route. */
  readonly isPublished: boolean
  /** The name of a port will not do. */
  readonly needsNumbers: boolean
}

/**
 * What is made of what was found. A route is never left out: requests for it would be caught by a shorter one. So
 * either all of them are published, those without a Service leading to one that answers 503, or none is.
 */
export function publish(backends: readonly ResolvedBackend[], options: PublishOptions): Publication {
  const { noMatch, isPublished } = options
  const found = backends.map((backend) => ({ ref: backend.ref, target: targetOf(backend, options) }))
  const ports = stubPorts(found.flatMap(({ ref, target }) => (target ? [] : [ref.service.port])))
  const stub = stubName(options.name)
  const targets = new Map(
    found.map(({ ref: { field, service }, target }) => {
      const { port } = service
      return [field, target ?? { name: stub, port, number: stubNumber(ports, port) }]
    }),
  )
  if (ports.length > 0 && noMatch === 'Withdraw') return { is: 'withdrawn', targets }
  if (ports.length > 0 && noMatch === 'Hold' && !isPublished) return { is: 'held', targets }
  return { is: 'published', targets, stubPorts: ports }
}

function targetOf(backend: ResolvedBackend, { noMatch, needsNumbers }: PublishOptions): Target | undefined {
  const { ref, service, kept, alias } = backend
  const { port, name } = ref.service
  const isKept = kept !== undefined && (noMatch === 'Hold' || name !== undefined)
  const target = service
    ? { name: alias ?? service.name, port, number: portOf(service, port)?.port ?? port.number }
    : isKept && { name: alias ?? kept.name, port, number: port.number ?? kept.port }
  if (!target || (needsNumbers && target.number === undefined)) return undefined
  return target
}

/** The Service without endpoints: an existing one gives 503 everywhere, a missing one whatever the controller likes. */
export function stubName(name: string): string {
  return `${name.slice(0, 38).replaceAll('.', '-').replace(/-+$/, '')}-${shortHash(name)}-unavailable`
}

function stubNumber(ports: readonly StubPort[], { name, number }: ServicePort): number | undefined {
  return number ?? ports.find((port) => port.name === name)?.port
}
