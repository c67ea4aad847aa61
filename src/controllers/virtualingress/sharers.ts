import type { VirtualIngress } from '../../api/virtualingress.ts'
import type { Problem } from '../../core/result.ts'
import { routesOf } from '../../core/virtualingress/backends.ts'
import type { Caches } from '../shared/caches.ts'
import type { OwnObject } from '../shared/kinds.ts'

/** Who else wants a route of this VirtualIngress. */
export function sharersOf(
  caches: Caches,
  { metadata, spec }: VirtualIngress,
): { readonly route: string; readonly other: OwnObject }[] {
  const { name, namespace = '' } = metadata
  return routesOf(spec).flatMap((route) =>
    caches.virtualIngresses.objects
      .byIndex('byRoute', route)
      .filter((other) => other.metadata.name !== name || other.metadata.namespace !== namespace)
      .map((other) => ({ route, other })),
  )
}

export function duplicateRoute(caches: Caches, virtualIngress: VirtualIngress): Problem[] {
  const [first] = sharersOf(caches, virtualIngress)
  if (!first) return []
  const { metadata } = first.other
  const [, , host, , path] = JSON.parse(first.route)
  // Nobody learns here what others have in their namespaces.
  const isNear = metadata.namespace === (virtualIngress.metadata.namespace ?? '')
  const who = isNear ? metadata.name : 'one of another namespace'
  const message = `${host}${path} is also wanted by ${who}: the ingress controller decides who has it`
  return [{ reason: 'DuplicateRoute', message }]
}
