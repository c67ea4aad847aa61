import type { Cidr } from '../../core/net/cidr.ts'
import type { Consent } from '../../core/plan/consent.ts'
import { consentAnnotation } from '../../core/plan/consent.ts'
import type { EventRecorder } from '../../runtime/events/recorder.ts'
import type { KubeClient } from '../../runtime/kube/client.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import type { Metrics } from '../../runtime/observe/metrics.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import type { Rendezvous } from '../../runtime/time/rendezvous.ts'
import type { HostedClients } from '../appsingress/clients.ts'
import type { VirtualIngressSettings } from '../virtualingress/settings.ts'
import type { Caches } from './caches.ts'

/** What the operator was told when it was started. */
export interface OperatorSettings {
  /** Of the pods of components that name none. */
  readonly image: string
  /** Of CoreDNS, for DNS servers with that engine. */
  readonly corednsImage: string
  /** Of Envoy, for proxies with that engine. */
  readonly envoyImage: string
  readonly anyTargetNamespace: boolean
  readonly targetCidrs: readonly Cidr[]
  readonly virtualIngress: VirtualIngressSettings
  /** Where a control plane has no kubeconfig for the service network, use the one that the HostedCluster publishes. */
  readonly publishedKubeconfig?: boolean
}

/** What the controllers share. */
export interface Operator {
  readonly caches: Caches
  /** Writes as field manager `oooi`, and only while this process is the leader. */
  readonly writer: KubeClient
  readonly events: EventRecorder
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
  readonly settings: OperatorSettings
  readonly metrics: Metrics
  /**
   * Where new Roles wait for each other. The API server checks with a clock of its own, ten times a second, that we give
   * no right that we do not have: of three Roles that come one after the other, two have to wait for its next tick.
   */
  readonly rights: Rendezvous
  /** Clients of the hosted clusters. */
  readonly hosted: HostedClients
  /** Where the API server of the control plane in a namespace is, instead of at its Service: for tests without nodes. */
  readonly dial?: ((namespace: string) => { host: string; port: number } | undefined) | undefined
}

/** Whoever only looks. */
export interface Observer {
  readonly caches: Caches
  readonly settings: Pick<OperatorSettings, 'anyTargetNamespace' | 'targetCidrs'>
}

/** HyperShift notes on a control plane which HostedCluster it belongs to. */
const hostedClusterAnnotation = 'hypershift.openshift.io/cluster'

export function consentOf({ caches, settings }: Observer): Consent {
  return {
    anyNamespace: settings.anyTargetNamespace,
    targetCidrs: settings.targetCidrs,
    hostedClustersOf: (namespace) =>
      caches.hostedControlPlanes.objects
        .byIndex('byNamespace', namespace)
        .flatMap(({ metadata }) => metadata.annotations?.[hostedClusterAnnotation] ?? []),
    annotationOf: (namespace) => caches.namespaces.objects.get(namespace)?.metadata.annotations?.[consentAnnotation],
  }
}
