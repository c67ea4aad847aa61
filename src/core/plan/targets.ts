import type { ProxyBackend, ProxyServer } from '../../api/proxyserver.ts'
import { isAddress } from '../proxy/backend.ts'

type Resolved = NonNullable<NonNullable<NonNullable<ProxyServer['status']>['resolved']>['backends']>[number]

/** A Service as far as connections to it go. */
export interface ServiceView {
  readonly spec?:
    | {
        readonly clusterIP?: string
        readonly selector?: Readonly<Record<string, string>>
        readonly ports?: readonly { readonly name?: string; readonly port: number; readonly protocol?: string }[]
      }
    | undefined
}

/** One EndpointSlice of it. Lists without entries come as null. */
export interface SliceView {
  readonly endpoints?:
    | readonly {
        readonly addresses: readonly string[]
        readonly conditions?: { readonly ready?: boolean } | undefined
      }[]
    | null
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null
}

export interface TargetWorld {
  serviceOf(namespace: string, name: string): ServiceView | undefined
  slicesOf(namespace: string, name: string): readonly SliceView[]
}

export interface ResolvedTarget {
  readonly backend: Resolved
  /** Why nothing is known of where it is. */
  readonly missing?: string
}

const mostEndpoints = 1024

/** Where a backend that is permitted really leads; the pod goes nowhere else, whatever its spec says. */
export function resolveBackend(backend: ProxyBackend, world: TargetWorld): ResolvedTarget {
  const { name, targetAddress, targetService = '', targetNamespace = '', targetPort } = backend
  if (targetAddress !== undefined) return { backend: { name, ...placeOf(targetAddress, targetPort) } }
  const service = world.serviceOf(targetNamespace, targetService)
  if (!service) return { backend: { name }, missing: `there is no Service ${targetNamespace}/${targetService}` }
  const port = service.spec?.ports?.find((entry) => entry.port === targetPort && (entry.protocol ?? 'TCP') === 'TCP')
  if (!port)
    return { backend: { name }, missing: `Service ${targetNamespace}/${targetService} has no port ${targetPort}` }
  const endpoints = endpointsOf(world.slicesOf(targetNamespace, targetService), port.name ?? '')
  const clusterIP = service.spec?.clusterIP
  const found = { name, endpoints, ...(clusterIP && clusterIP !== 'None' ? { clusterIP } : {}) }
  if (endpoints.length > 0) return { backend: found }
  return { backend: found, missing: `Service ${targetNamespace}/${targetService} has no ready pod` }
}

function placeOf(target: string, port: number): Pick<Resolved, 'endpoints' | 'targetName'> {
  return isAddress(target) ? { endpoints: [{ address: target, port }] } : { targetName: target }
}

/** Sorted, so that the same pods give the same text in whatever order they are told. */
function endpointsOf(slices: readonly SliceView[], portName: string): { address: string; port: number }[] {
  const found = new Map<string, { address: string; port: number }>()
  for (const { endpoints, ports } of slices) {
    const port = ports?.find((entry) => (entry.name ?? '') === portName)?.port
    if (port === undefined) continue
    for (const { addresses, conditions } of endpoints ?? []) {
      if (conditions?.ready === false) continue
      for (const address of addresses) found.set(`${address} ${port}`, { address, port })
    }
  }
  const sorted = [...found].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return sorted.slice(0, mostEndpoints).map(([, endpoint]) => endpoint)
}
