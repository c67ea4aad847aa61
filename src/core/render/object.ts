import { apiGroup } from '../../api/meta.ts'

/** A Kubernetes object as we want it, without its owner: that has an identity only in a cluster. */
export interface RenderedObject {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    namespace: string
    labels: Record<string, string>
    annotations?: Record<string, string>
  }
  [field: string]: unknown
}

/** What the three components differ in when they are pods. */
export interface ComponentRole {
  /** The command of the program, the ending of the names of its account and rights. */
  readonly command: 'dhcp' | 'dns' | 'proxy'
  readonly app: 'dhcp-server' | 'dns-server' | 'proxy-server'
  /** The name of its kind in RBAC. */
  readonly plural: 'dhcpservers' | 'dnsservers' | 'proxyservers'
}

export const dhcpRole: ComponentRole = { command: 'dhcp', app: 'dhcp-server', plural: 'dhcpservers' }
export const dnsRole: ComponentRole = { command: 'dns', app: 'dns-server', plural: 'dnsservers' }
export const proxyRole: ComponentRole = { command: 'proxy', app: 'proxy-server', plural: 'proxyservers' }

/** The component as far as its objects are named and placed by it. */
export interface Place {
  readonly name: string
  readonly namespace: string
}

export const managedByLabel = 'app.kubernetes.io/managed-by'
export const managedBy = 'oooi'
export const componentLabel = apiGroup

/** What a Deployment or Service finds its pods by; it can never be changed, so it holds nothing that could. */
export function selectorOf({ app }: ComponentRole, { name }: Place): Record<string, string> {
  return { app, [componentLabel]: name }
}

export function labelsOf(role: ComponentRole, place: Place): Record<string, string> {
  return {
    ...selectorOf(role, place),
    'app.kubernetes.io/name': 'oooi',
    'app.kubernetes.io/component': role.command,
    'app.kubernetes.io/instance': place.name,
    [managedByLabel]: managedBy,
  }
}

/** Account, Role and RoleBinding of a component: `<component>-dhcp`. */
export function accountName({ command }: ComponentRole, { name }: Place): string {
  return `${name}-${command}`
}

export function metadataOf(role: ComponentRole, place: Place, name: string): RenderedObject['metadata'] {
  return { name, namespace: place.namespace, labels: labelsOf(role, place) }
}
