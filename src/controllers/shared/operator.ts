import type { Cidr } from '../../core/net/cidr.ts'
import type { Consent } from '../../core/plan/consent.ts'
import { consentAnnotation } from '../../core/plan/consent.ts'
import type { EventRecorder } from '../../runtime/events/recorder.ts'
import type { KubeClient } from '../../runtime/kube/client.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import type { Metrics } from '../../runtime/observe/metrics.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import type { VirtualIngressSettings } from '../virtualingress/settings.ts'
import type { Caches } from './caches.ts'

/** What the operator was told when it was started. */
export interface OperatorSettings {
  /** Of the pods of components that name none. */
  readonly image: string
  /** Of CoreDNS, for DNS servers with that engine. */
  readonly corednsImage: string
  readonly anyTargetNamespace: boolean
  readonly targetCidrs: readonly Cidr[]
  readonly virtualIngress: VirtualIngressSettings
}

/** What the controllers share. */
export interface Operator {
  readonly caches: Caches
  /** Writes as field manager `oooi`, and only while this process is the leader. */
  readonly writer: KubeClient
  readonly events: EventRecorder
  readonly clock: Clock
  readonly log: Logger
  readonly settings: OperatorSettings
  readonly metrics: Metrics
}

/** HyperShift notes on a control plane which HostedCluster it belongs to. */
const hostedClusterAnnotation = 'hypershift.openshift.io/cluster'

export function consentOf({ caches, settings }: Operator): Consent {
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
