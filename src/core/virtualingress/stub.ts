import type { RenderedObject } from '../render/object.ts'
import type { ServicePort } from './choose.ts'

export interface StubPort {
  readonly name: string
  readonly port: number
  readonly protocol: 'TCP'
}

/** A Service that selects nothing. */
export function renderStub(metadata: RenderedObject['metadata'], ports: readonly StubPort[]): RenderedObject {
  return { apiVersion: 'v1', kind: 'Service', metadata, spec: { type: 'ClusterIP', ports } }
}

/** Each wanted port once; those asked for by name get a number that nobody else has. */
export function stubPorts(wanted: readonly ServicePort[]): StubPort[] {
  const numbers = new Set(wanted.flatMap(({ number }) => number ?? []))
  const names = new Set(wanted.flatMap(({ name }) => name ?? []))
  const taken = new Set(numbers)
  const named = [...names].toSorted().map((name): StubPort => {
    let port = 80
    while (taken.has(port)) port++
    taken.add(port)
    return { name, port, protocol: 'TCP' }
  })
  const numbered = [...numbers].map((port): StubPort => {
    const name = names.has(`port-${port}`) ? `number-${port}` : `port-${port}`
    return { name, port, protocol: 'TCP' }
  })
  return [...named, ...numbered].toSorted((one, other) => one.port - other.port)
}
