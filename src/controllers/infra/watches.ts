import type { Controller } from '../../runtime/controller/controller.ts'
import { controllerKeys } from '../../runtime/controller/owner.ts'
import { type Key, type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import { type Caches, infraOfPolicy, serviceOfSlice } from '../shared/caches.ts'
import { infrasBoundTo, infrasOfHostedCluster } from '../shared/clusters.ts'
import { infraKind } from '../shared/kinds.ts'
import { infraOfAttachment } from '../shared/read.ts'

/** Everything whose change can change what an Infra becomes or says. */
export function watchInfras(controller: Controller, caches: Caches): void {
  controller.watch(caches.infras)
  for (const cache of [caches.dhcpServers, caches.dnsServers, caches.proxyServers]) {
    controller.watch(cache, controllerKeys(infraKind))
  }
  controller.watch(caches.clusterAttachments, infraOfAttachment)
  controller.watch(caches.hostedClusters, ({ metadata }) => infrasOfHostedCluster(caches, keyOf(metadata)))
  controller.watch(caches.nodePools, ({ metadata, spec }) => {
    const name = typeof spec === 'object' && spec && 'clusterName' in spec ? String(spec.clusterName) : ''
    return infrasOfHostedCluster(caches, `${metadata.namespace}/${name}`)
  })
  controller.watch(caches.routes, ({ metadata }) => infrasBoundTo(caches, metadata.namespace))
  // What happens in its own namespace is no matter of consent or policies.
  const boundTo = (namespace = ''): Key[] =>
    infrasBoundTo(caches, namespace).filter((key) => !key.startsWith(`${namespace}/`))
  controller.watch(caches.namespaces, ({ metadata }) => [
    ...boundTo(metadata.name),
    ...withClustersIn(caches, metadata.name),
  ])
  controller.watch(caches.hostedControlPlanes, ({ metadata }) => boundTo(metadata.namespace))
  controller.watch(caches.networkPolicies, (policy) => [
    ...infraOfPolicy(policy),
    ...boundTo(policy.metadata.namespace),
  ])
  const toOwner = controllerKeys(infraKind)
  controller.watch(caches.services, (service) => [
    ...boundTo(service.metadata.namespace),
    ...infraOfProxy(service.metadata),
    ...toOwner(service),
  ])
  controller.watch(caches.endpointSlices, (slice) => boundTo(serviceOfSlice(slice).split('/')[0]))
  for (const optional of [caches.hostedClusters, caches.nodePools, caches.routes, caches.machines]) {
    optional.onInstalled(() => {
      for (const { metadata } of caches.infras.objects.list()) controller.trigger(keyOf(metadata))
    })
  }
}

/** Consent to use a HostedCluster is given by its namespace. */
function withClustersIn(caches: Caches, namespace: string): Key[] {
  const clusters = [...caches.hostedClusters.objects.list()].filter(({ metadata }) => metadata.namespace === namespace)
  return clusters.flatMap(({ metadata }) => infrasOfHostedCluster(caches, keyOf(metadata)))
}

/** The Service of a proxy has the address that pods are sent to for the applications. */
function infraOfProxy({ name, namespace, labels }: KubeObject['metadata']): Key[] {
  return labels?.app === 'proxy-server' && name.endsWith('-proxy')
    ? [`${namespace}/${name.replace(/-proxy$/, '')}`]
    : []
}
