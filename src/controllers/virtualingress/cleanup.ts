import { ownLabels } from '../../core/virtualingress/metadata.ts'
import { removeFinalizer } from '../../runtime/controller/finalizer.ts'
import { isControlledBy } from '../../runtime/controller/owner.ts'
import type { Kind } from '../../runtime/kube/kind.ts'
import {
  endpointSliceKind,
  httpRouteKind,
  ingressKind,
  type OwnObject,
  serviceKind,
  virtualIngressKind,
} from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'

/**
 * Removes what was made of a VirtualIngress that goes, and lets it go. Who deletes it with `--cascade=orphan` wants to
 * keep the Ingress: then nothing is removed.
 */
export async function cleanUp(
  { writer, caches, settings }: Operator,
  live: OwnObject,
  finalizer: string,
  signal: AbortSignal,
): Promise<undefined> {
  const { name, namespace, finalizers = [] } = live.metadata
  if (!finalizers.includes(finalizer)) return undefined
  if (!finalizers.includes('orphan')) {
    const labelSelector = Object.entries(ownLabels(name))
      .map(([key, value]) => `${key}=${value}`)
      .join(',')
    const kinds: Kind[] = [
      ingressKind,
      serviceKind,
      ...(caches.httpRoutes.installed ? [httpRouteKind] : []),
      ...(settings.virtualIngress.crossNamespace ? [endpointSliceKind] : []),
    ]
    for (const kind of kinds) {
      // Asked anew: the cache may not know yet what was made a moment ago.
      const { items } = await writer.list(kind, { namespace, labelSelector, signal })
      for (const object of items) {
        const { uid } = object.metadata
        if (uid !== undefined && isControlledBy(object, live)) await writer.delete(kind, object.metadata, uid, signal)
      }
    }
  }
  await removeFinalizer(writer, virtualIngressKind, live, finalizer, signal)
  return undefined
}
