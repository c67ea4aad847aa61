import type {
  EventsV1Event,
  V1ConfigMap,
  V1CustomResourceDefinition,
  V1Deployment,
  V1Lease,
  V1Namespace,
} from '@kubernetes/client-node'
import { defineKind } from './kind.ts'
import type { ApiObject } from './object.ts'

/** Built-in kinds in common use; any other is one `defineKind` away. */

export type Lease = ApiObject<V1Lease>
export const lease = defineKind<Lease>({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
})

export type KubeEvent = ApiObject<EventsV1Event>
export const event = defineKind<KubeEvent>({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
})

export type ConfigMap = ApiObject<V1ConfigMap>
export const configMap = defineKind<ConfigMap>({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
})

export type Deployment = ApiObject<V1Deployment>
export const deployment = defineKind<Deployment>({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
})

export type Namespace = ApiObject<V1Namespace>
export const namespace = defineKind<Namespace>({
  apiVersion: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
})

export type CustomResourceDefinition = ApiObject<V1CustomResourceDefinition>
export const customResourceDefinition = defineKind<CustomResourceDefinition>({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
})
