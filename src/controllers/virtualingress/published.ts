import type { VirtualIngress } from '../../api/virtualingress.ts'
import { lastKnownInRoutes } from '../../core/virtualingress/httproute.ts'
import { lastKnownIn } from '../../core/virtualingress/ingress.ts'
import { lastKnownBefore } from '../../core/virtualingress/last-known.ts'
import { stubName } from '../../core/virtualingress/publish.ts'
import type { LastKnown } from '../../core/virtualingress/resolve.ts'
import type { BackendStatus } from '../../core/virtualingress/status.ts'
import type { OwnObject } from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'

/** Where the routes of a VirtualIngress led when this process first looked at it. */
export function startingPoint(
  { caches }: Operator,
  virtualIngress: VirtualIngress,
  { metadata: { uid = '' }, status }: OwnObject,
): Map<string, LastKnown> {
  const live = new Map([
    ...caches.ingresses.objects.byIndex('byOwner', uid).flatMap((ingress) => [...lastKnownIn(ingress)]),
    ...lastKnownInRoutes(caches.httpRoutes.objects.byIndex('byOwner', uid)),
  ])
  if (live.size === 0) return live
  const said: unknown = status?.resolvedBackends
  const statuses = Array.isArray(said) ? said.filter(isBackendStatus) : []
  return lastKnownBefore(virtualIngress, statuses, live, stubName(virtualIngress.metadata.name))
}

/** The CRD sees to the rest; only what is used is looked at. */
export function isBackendStatus(entry: unknown): entry is BackendStatus {
  return typeof entry === 'object' && entry !== null && 'field' in entry && typeof entry.field === 'string'
}
