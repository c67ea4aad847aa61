import { apiGroup } from '../../api/meta.ts'
import { accountName, type ComponentRole, metadataOf, type Place, type RenderedObject } from './object.ts'

/**
 * What the pod of a component may do: follow its own object and write its status, and for DHCP keep the lease objects
 * of its namespace, whose names nobody knows beforehand. Nothing else.
 */
export function renderRights(role: ComponentRole, place: Place): RenderedObject[] {
  const name = accountName(role, place)
  const metadata = metadataOf(role, place, name)
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules: rulesOf(role, place) },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace: place.namespace }],
    },
  ]
}

function rulesOf(role: ComponentRole, place: Place): object[] {
  const own = { apiGroups: [apiGroup], resourceNames: [place.name] }
  const rules: object[] = [
    { ...own, resources: [role.plural], verbs: ['list', 'watch'] },
    { ...own, resources: [`${role.plural}/status`], verbs: ['patch'] },
  ]
  if (role.command !== 'dhcp') return rules
  const verbs = ['get', 'list', 'create', 'patch']
  return [...rules, { apiGroups: [apiGroup], resources: ['dhcpleases'], verbs }]
}
