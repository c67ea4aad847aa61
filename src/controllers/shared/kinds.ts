import { type KindDefinition, kinds } from '../../api/kinds.ts'
import { apiVersion } from '../../api/meta.ts'
import type { MachineView } from '../../core/plan/clients.ts'
import type { ServiceView } from '../../core/plan/targets.ts'
import type { Isolation } from '../../core/render/policy.ts'
import type { AttachmentView } from '../../core/status/attachment.ts'
import type { DeploymentView } from '../../core/status/component.ts'
import type { PodView } from '../../core/status/pods.ts'
import type { SliceSource } from '../../core/virtualingress/alias.ts'
import type { GrantView } from '../../core/virtualingress/consent.ts'
import type { RouteView } from '../../core/virtualingress/httproute.ts'
import type { IngressView } from '../../core/virtualingress/ingress.ts'
import type { Condition } from '../../runtime/conditions/conditions.ts'
import { defineKind, type Kind } from '../../runtime/kube/kind.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'

/** The kinds that the operator reads or writes, each with the fields that it looks at. */

/** One of our own, as the API server gives it; its spec is checked before anything is made of it. */
export interface OwnObject extends KubeObject {
  spec?: unknown
  status?: {
    conditions?: Condition[]
    servingGeneration?: number
    [field: string]: unknown
  }
}

function ownKind({ kind, plural }: Pick<KindDefinition<unknown>, 'kind' | 'plural'>): Kind<OwnObject> {
  return defineKind<OwnObject>({ apiVersion, kind, plural, namespaced: true })
}

export const infraKind = ownKind(kinds.Infra)
export const clusterAttachmentKind = ownKind(kinds.InfraClusterAttachment)
export const dhcpServerKind = ownKind(kinds.DHCPServer)
export const dnsServerKind = ownKind(kinds.DNSServer)
export const proxyServerKind = ownKind(kinds.ProxyServer)
export const virtualIngressKind = ownKind(kinds.VirtualIngress)

export interface LeaseObject extends KubeObject {
  spec?: { server: string; address: string; mac?: string; vmName?: string; cluster?: string; state: string }
}

export const dhcpLeaseKind = defineKind<LeaseObject>({
  apiVersion,
  kind: 'DHCPLease',
  plural: kinds.DHCPLease.plural,
  namespaced: true,
})

const rbac = 'rbac.authorization.k8s.io/v1'

export const serviceAccountKind = builtIn<KubeObject>('v1', 'ServiceAccount', 'serviceaccounts')
export const roleKind = builtIn<KubeObject>(rbac, 'Role', 'roles')
export const roleBindingKind = builtIn<KubeObject>(rbac, 'RoleBinding', 'rolebindings')
export const claimKind = builtIn<KubeObject>('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims')
export const deploymentKind = builtIn<KubeObject & DeploymentView>('apps/v1', 'Deployment', 'deployments')
export const serviceKind = builtIn<KubeObject & ServiceView>('v1', 'Service', 'services')
export const podKind = builtIn<KubeObject & PodView>('v1', 'Pod', 'pods')
export const endpointSliceKind = builtIn<KubeObject & SliceSource>(
  'discovery.k8s.io/v1',
  'EndpointSlice',
  'endpointslices',
)
export const networkPolicyKind = builtIn<KubeObject & { spec?: Isolation }>(
  'networking.k8s.io/v1',
  'NetworkPolicy',
  'networkpolicies',
)

export const ingressKind = builtIn<KubeObject & IngressView>('networking.k8s.io/v1', 'Ingress', 'ingresses')

/** Kinds of others, which may not be installed. */
export const attachmentKind = builtIn<KubeObject & AttachmentView>(
  'k8s.cni.cncf.io/v1',
  'NetworkAttachmentDefinition',
  'network-attachment-definitions',
)
export const machineKind = builtIn<KubeObject & MachineView>(
  'kubevirt.io/v1',
  'VirtualMachineInstance',
  'virtualmachineinstances',
)

/** Looked into by core/discover, which takes them as they come. */
export interface ForeignObject extends KubeObject {
  spec?: unknown
  status?: unknown
}

const hyperShift = 'hypershift.openshift.io/v1beta1'
export const hostedClusterKind = builtIn<ForeignObject>(hyperShift, 'HostedCluster', 'hostedclusters')
export const hostedControlPlaneKind = builtIn<KubeObject>(hyperShift, 'HostedControlPlane', 'hostedcontrolplanes')
export const nodePoolKind = builtIn<ForeignObject>(hyperShift, 'NodePool', 'nodepools')
export const routeKind = builtIn<ForeignObject>('route.openshift.io/v1', 'Route', 'routes')

export const referenceGrantKind = builtIn<KubeObject & GrantView>(
  'gateway.networking.k8s.io/v1beta1',
  'ReferenceGrant',
  'referencegrants',
)
export const httpRouteKind = builtIn<KubeObject & RouteView>('gateway.networking.k8s.io/v1', 'HTTPRoute', 'httproutes')

function builtIn<T extends KubeObject>(version: string, kind: string, plural: string): Kind<T> {
  return defineKind<T>({ apiVersion: version, kind, plural, namespaced: true })
}

/** The kinds of the objects that make up a component, by name. */
export const ownedKinds: Readonly<Record<string, Kind>> = {
  ServiceAccount: serviceAccountKind,
  Role: roleKind,
  RoleBinding: roleBindingKind,
  PersistentVolumeClaim: claimKind,
  Deployment: deploymentKind,
  Service: serviceKind,
}

/** The same for an Infra. */
export const infraOwnedKinds: Readonly<Record<string, Kind>> = {
  DHCPServer: dhcpServerKind,
  DNSServer: dnsServerKind,
  ProxyServer: proxyServerKind,
  Service: serviceKind,
}
