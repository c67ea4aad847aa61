import type { Existing } from '../../runtime/apply/plan.ts'
import { type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import { ownedIn } from './caches.ts'
import type { Belonging, Component, ComponentKind } from './component-kind.ts'
import { type OwnObject, ownedKinds } from './kinds.ts'
import type { Wanted } from './objects.ts'
import type { Operator } from './operator.ts'

/** The objects of a component's pod, as they should be. */
export function wantedOf<Resource extends Component>(
  { caches, settings, rights }: Operator,
  { render, isKept }: ComponentKind<Resource>,
  resource: Resource,
  { infra }: Belonging,
): Wanted[] {
  const rendered = render(resource, {
    ...settings,
    cidr: infra?.spec.networkConfig.cidr,
    assignsUsers: hasUsersOfItsOwn(caches.namespaces.objects.get(resource.metadata.namespace ?? '')),
  })
  return rendered.flatMap((object) => {
    const kind = ownedKinds[object.kind]
    if (!kind) return []
    const step = needingOthers.includes(object.kind) ? 1 : 0
    const together = object.kind === 'Role' ? { departure: () => rights.wait() } : {}
    return [{ kind, object, step, ...together, isKept: isKept?.(resource, object) ?? false }]
  })
}

/** A binding is refused without its Role, and no pod is made without its ServiceAccount. */
const needingOthers: readonly string[] = ['RoleBinding', 'Deployment']

/** OpenShift writes the range of user ids it chose into the namespace. */
function hasUsersOfItsOwn(namespace: KubeObject | undefined): boolean {
  return namespace?.metadata.annotations?.['openshift.io/sa.scc.uid-range'] !== undefined
}

/** Ours by their owner; and what outlives its owners, by its name. */
export function existingOf(
  { caches }: Operator,
  { metadata: { uid = '' } }: OwnObject,
  wanted: readonly Wanted[],
): Existing[] {
  const { serviceAccounts, roles, roleBindings, claims, deployments, services } = caches
  const owned = [serviceAccounts, roles, roleBindings, claims, deployments, services].flatMap((cache) =>
    ownedIn(cache, uid, ownedKinds),
  )
  const kept = wanted
    .filter(({ isKept }) => isKept)
    .flatMap(({ kind, object }) => {
      const found = claims.objects.get(keyOf(object.metadata))
      return found ? [{ kind, object: found }] : []
    })
  return [...owned, ...kept]
}
