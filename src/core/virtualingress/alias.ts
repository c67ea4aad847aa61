import type { ServiceSelector } from '../../api/virtualingressbackend.ts'
import type { SliceView } from '../plan/targets.ts'
import type { RenderedObject } from '../render/object.ts'
import { shortHash } from '../short-hash.ts'
import { ownPrefix } from './metadata.ts'
import { selectorText } from './selector.ts'
import type { ServiceView } from './service-index.ts'
import type { StubPort } from './stub.ts'

/** An EndpointSlice with what a copy of it needs. */
export interface SliceSource extends SliceView {
  readonly metadata: { readonly name: string }
  readonly addressType?: string
}

type Metadata = RenderedObject['metadata']

/** The Service that stands in a namespace for one of another. */
export function aliasName(owner: string, wanted: ServiceSelector): string {
  const base = owner.slice(0, 46).replaceAll('.', '-').replace(/-+$/, '')
  return `${base}-${shortHash(`${owner} ${wanted.namespace} ${selectorText(wanted)}`)}-alias`
}

/**
 * A Service under a name that does not change, whose endpoints are those of another: the same ports, no selector, and
 * a copy of each EndpointSlice. Without another it has no endpoints, and whoever leads to it answers 503.
 */
export function renderAlias(
  metadata: Metadata,
  target: ServiceView | undefined,
  slices: readonly SliceSource[],
  wantedPorts: readonly StubPort[],
): RenderedObject[] {
  const ports = target ? portsOf(target) : wantedPorts
  const service = { apiVersion: 'v1', kind: 'Service', metadata, spec: { type: 'ClusterIP', ports } }
  return [service, ...slices.map((slice) => renderSlice(metadata, slice))]
}

function portsOf({ ports }: ServiceView): object[] {
  return ports.map(({ name, port, protocol = 'TCP' }) => ({ ...(name === undefined ? {} : { name }), port, protocol }))
}

function renderSlice({ name, namespace, labels }: Metadata, slice: SliceSource): RenderedObject {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-${shortHash(slice.metadata.name)}`,
      namespace,
      labels: {
        ...labels,
        'kubernetes.io/service-name': name,
        'endpointslice.kubernetes.io/managed-by': ownPrefix,
      },
    },
    addressType: slice.addressType ?? 'IPv4',
    endpoints: (slice.endpoints ?? []).map(({ addresses, conditions }) => ({
      addresses,
      ...(conditions ? { conditions } : {}),
    })),
    ports: slice.ports ?? [],
  }
}
