import { kinds } from '../../api/kinds.ts'
import type { Claim } from '../../core/plan/claims.ts'
import { knownClients } from '../../core/plan/clients.ts'
import { componentLabel, managedBy, managedByLabel } from '../../core/render/object.ts'
import { infraAnnotation } from '../../core/render/policy.ts'
import { networkStatusAnnotation, type PodView } from '../../core/status/pods.ts'
import { routesOf } from '../../core/virtualingress/backends.ts'
import type { Existing } from '../../runtime/apply/plan.ts'
import { Informer, type InformerOptions } from '../../runtime/cache/informer.ts'
import { controllerOf } from '../../runtime/controller/owner.ts'
import type { KubeClient } from '../../runtime/kube/client.ts'
import type { Kind } from '../../runtime/kube/kind.ts'
import { namespace as namespaceKind } from '../../runtime/kube/kinds.ts'
import { type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import * as kind from './kinds.ts'
import { claimsOf, infraOfAttachment, targetsIn, understand } from './read.ts'

export interface CacheOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
  /** The only ones that are looked at; none: all. */
  readonly namespaces?: readonly string[]
}

const ours = `${managedByLabel}=${managedBy}`
const serviceNameLabel = 'kubernetes.io/service-name'

/**
 * Copies of everything the operator looks at, shared by its controllers. Of kinds that everybody uses only our own
 * objects are kept; Services, EndpointSlices and policies are kept whole, for those of the control planes.
 */
export function createCaches({ namespaces = [], ...rest }: CacheOptions) {
  const common = namespaces.length > 0 ? { ...rest, namespaces } : rest
  const all = <T extends KubeObject>(
    options: Pick<InformerOptions<T>, 'kind' | 'indexes' | 'labelSelector' | 'optional' | 'transform'>,
  ) => new Informer<T>({ ...common, ...options })
  return {
    infras: all({
      kind: kind.infraKind,
      indexes: { ...claimIndexes((object) => claimsOf(object)), byOwner },
    }),
    clusterAttachments: all({
      kind: kind.clusterAttachmentKind,
      indexes: {
        ...claimIndexes((object) => claimsOf(object)),
        byInfra: (object) => infraOfAttachment(object),
        byOwner,
      },
    }),
    dhcpServers: all({ kind: kind.dhcpServerKind, indexes: { byOwner } }),
    dnsServers: all({ kind: kind.dnsServerKind, indexes: { byOwner } }),
    proxyServers: all({
      kind: kind.proxyServerKind,
      indexes: {
        byOwner,
        byTarget: (object) => targetsIn(object).map(({ service, namespace }) => `${namespace}/${service}`),
        byTargetNamespace: (object) => targetsIn(object).map(({ namespace }) => namespace),
      },
    }),
    leases: all({
      kind: kind.dhcpLeaseKind,
      indexes: { byServer: ({ metadata, spec }) => (spec ? [`${metadata.namespace}/${spec.server}`] : []) },
    }),
    serviceAccounts: all({ kind: kind.serviceAccountKind, labelSelector: ours, indexes: { byOwner } }),
    roles: all({ kind: kind.roleKind, labelSelector: ours, indexes: { byOwner } }),
    roleBindings: all({ kind: kind.roleBindingKind, labelSelector: ours, indexes: { byOwner } }),
    claims: all({ kind: kind.claimKind, labelSelector: ours, indexes: { byOwner } }),
    deployments: all({ kind: kind.deploymentKind, labelSelector: ours, indexes: { byOwner } }),
    services: all({ kind: kind.serviceKind, indexes: { byOwner } }),
    pods: all({ kind: kind.podKind, labelSelector: ours, indexes: { byComponent } }),
    endpointSlices: all({
      kind: kind.endpointSliceKind,
      indexes: {
        byOwner,
        byService: (slice) => [`${slice.metadata.namespace}/${slice.metadata.labels?.[serviceNameLabel]}`],
      },
    }),
    networkPolicies: all({
      kind: kind.networkPolicyKind,
      indexes: {
        byInfra: (policy) => infraOfPolicy(policy),
        byNamespace,
      },
    }),
    namespaces: all({ kind: namespaceKind }),
    attachments: all({ kind: kind.attachmentKind, optional: true }),
    machines: all({
      kind: kind.machineKind,
      optional: true,
      indexes: { byNamespace, byMac: (machine) => knownClients([machine]).map(({ mac }) => mac) },
    }),
    launchers: all({
      kind: kind.podKind,
      labelSelector: 'kubevirt.io=virt-launcher',
      transform: onlyNetworks,
      indexes: { byNamespace },
    }),
    virtualIngresses: all({
      kind: kind.virtualIngressKind,
      indexes: {
        byRoute: (object) => {
          const { resource } = understand('VirtualIngress', kinds.VirtualIngress, object)
          return resource ? routesOf(resource.spec) : []
        },
      },
    }),
    ingresses: all({ kind: kind.ingressKind, indexes: { byOwner } }),
    referenceGrants: all({
      kind: kind.referenceGrantKind,
      optional: true,
      indexes: { byNamespace: ({ metadata }) => [metadata.namespace ?? ''] },
    }),
    httpRoutes: all({ kind: kind.httpRouteKind, optional: true, indexes: { byOwner } }),
    hostedClusters: all({ kind: kind.hostedClusterKind, optional: true }),
    hostedControlPlanes: all({ kind: kind.hostedControlPlaneKind, optional: true, indexes: { byNamespace } }),
    nodePools: all({ kind: kind.nodePoolKind, optional: true, indexes: { byNamespace } }),
    routes: all({ kind: kind.routeKind, optional: true }),
  }
}

export type Caches = ReturnType<typeof createCaches>

function byNamespace({ metadata }: KubeObject): string[] {
  return [metadata.namespace ?? '']
}

function claimIndexes(claims: (object: kind.OwnObject) => readonly Claim[]) {
  return {
    byControlPlane: (object: kind.OwnObject) => claims(object).map((claim) => claim.controlPlaneNamespace),
    byHostedCluster: (object: kind.OwnObject) =>
      claims(object).flatMap(({ hostedCluster }) => (hostedCluster ? [keyOf(hostedCluster)] : [])),
  }
}

/** Of the pods of all virtual machines only what Multus noted on them is looked at. */
function onlyNetworks(pod: KubeObject & PodView): KubeObject & PodView {
  const { apiVersion, kind: podKind, metadata } = pod
  const { name, namespace, uid, resourceVersion, ownerReferences, annotations } = metadata
  const noted = annotations?.[networkStatusAnnotation]
  const networks = noted === undefined ? {} : { annotations: { [networkStatusAnnotation]: noted } }
  const kept = { name, namespace, uid, resourceVersion, ...(ownerReferences ? { ownerReferences } : {}), ...networks }
  return { apiVersion, kind: podKind, metadata: JSON.parse(JSON.stringify(kept)) }
}

/** By uid: what belonged to an object of the same name before is somebody else's. */
function byOwner(object: KubeObject): string[] {
  const owner = controllerOf(object)
  return owner ? [owner.uid] : []
}

/** What belongs to the object with this uid, of the kinds that are ours to write. */
export function ownedIn(
  { kind: name, objects }: Pick<Informer<KubeObject>, 'kind' | 'objects'>,
  uid: string,
  kinds: Readonly<Record<string, Kind>>,
): Existing[] {
  const found = kinds[name]
  return found ? objects.byIndex('byOwner', uid).map((object) => ({ kind: found, object })) : []
}

/** `dhcp-server/<namespace>/<component>`. */
function byComponent({ metadata: { namespace, labels } }: KubeObject): string[] {
  const name = labels?.[componentLabel]
  return name === undefined ? [] : [`${labels?.app}/${namespace}/${name}`]
}

export function infraOfPolicy({ metadata }: KubeObject): string[] {
  const key = metadata.annotations?.[infraAnnotation]
  return key !== undefined && metadata.labels?.[managedByLabel] === managedBy ? [key] : []
}

/** The Service that an EndpointSlice is a part of. */
export function serviceOfSlice({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.labels?.[serviceNameLabel]}`
}
