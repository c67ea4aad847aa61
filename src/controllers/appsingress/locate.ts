import type { HostedCluster } from '../../core/discover/hostedcluster.ts'
import { readHostedCluster } from '../../core/discover/hostedcluster.ts'
import { controlPlaneNamespaceOf, type HostedClusterRef } from '../../core/discover/reference.ts'
import { mayUseNamespace, namespaceNotPermitted } from '../../core/plan/consent.ts'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'
import { type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import type { Pin } from '../../runtime/kube/pinned-access.ts'
import { consentOf, type Operator } from '../shared/operator.ts'
import { clusterAddresses } from '../shared/service.ts'

/** Which hosted cluster is meant, as an Infra or attachment says. */
export interface Meant {
  /** Namespace of the object that says so. */
  readonly from: string
  readonly ref: HostedClusterRef | undefined
  readonly controlPlaneNamespace?: string | undefined
  readonly apiServerService: string
}

/** A hosted cluster that may be asked, and where its API server is. */
export interface Located {
  readonly hostedCluster: HostedCluster
  readonly object: KubeObject
  readonly controlPlaneNamespace: string
  readonly pin: Pin
}

/**
 * The API server of the hosted cluster, or why it is not asked. Its kubeconfig is that of an administrator, so the
 * control plane has to be the one of the HostedCluster that was named, by what HyperShift noted on it, and its
 * namespace has to permit it.
 */
export function locate(operator: Operator, meant: Meant): Result<Located> {
  const { caches } = operator
  const { ref, from } = meant
  if (!ref) return refused('HostedClusterUnknown', 'no HostedCluster is named: set spec.hostedClusterRef')
  if (caches.hostedClusters.installed === false) {
    return refused('HyperShiftMissing', `HostedCluster ${keyOf(ref)} is named, but HyperShift is not installed`)
  }
  const consent = consentOf(operator)
  const notPermitted = (target: string) =>
    failed(namespaceNotPermitted(from, target, 'spec.hostedClusterRef', consent.annotationOf(target)))
  if (!mayUseNamespace(from, ref.namespace, consent)) return notPermitted(ref.namespace)
  const object = caches.hostedClusters.objects.get(keyOf(ref))
  if (!object) return refused('HostedClusterMissing', `there is no HostedCluster ${keyOf(ref)}`)
  const namespace = controlPlaneNamespaceIn(meant) ?? ''
  const owners = consent.hostedClustersOf(namespace)
  if (owners.length === 0) {
    return refused('ControlPlanePending', `there is no HostedControlPlane in namespace ${namespace} yet`)
  }
  if (!owners.includes(keyOf(ref))) {
    const message = `the control plane in namespace ${namespace} belongs to HostedCluster ${owners.join(', ')}, not to ${keyOf(ref)}`
    return refused('TargetNotPermitted', message)
  }
  if (!mayUseNamespace(from, namespace, consent)) return notPermitted(namespace)
  const name = meant.apiServerService
  const service = caches.services.objects.get(`${namespace}/${name}`)
  const [address] = clusterAddresses(service)
  const port = service?.spec?.ports?.[0]?.port
  if (address === undefined || port === undefined) {
    return refused('ControlPlanePending', `Service ${namespace}/${name} is not there yet, or has no address`)
  }
  const pin = { host: `${name}.${namespace}.svc`, port, dial: operator.dial?.(namespace) ?? { host: address, port } }
  return ok({ hostedCluster: readHostedCluster(object), object, controlPlaneNamespace: namespace, pin })
}

/** Where the control plane would be, whether it is there or not. */
export function controlPlaneNamespaceIn({ controlPlaneNamespace, ref }: Pick<Meant, 'ref' | 'controlPlaneNamespace'>) {
  return controlPlaneNamespace ?? (ref && controlPlaneNamespaceOf(ref))
}

function refused(reason: Problem['reason'], message: string): Result<never> {
  return failed({ reason, message })
}
