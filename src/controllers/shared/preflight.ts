import type { Problem } from '../../core/result.ts'
import type { KubeClient } from '../../runtime/kube/client.ts'
import { ApiError, isKindMissing } from '../../runtime/kube/error.ts'
import type { Kind } from '../../runtime/kube/kind.ts'
import { namespace } from '../../runtime/kube/kinds.ts'
import {
  clusterAttachmentKind,
  dhcpLeaseKind,
  dhcpServerKind,
  dnsServerKind,
  endpointSliceKind,
  infraKind,
  ingressKind,
  ownedKinds,
  podKind,
  proxyServerKind,
  serviceKind,
  virtualIngressKind,
} from './kinds.ts'
import type { ControllerName } from './names.ts'

const neededKinds: Readonly<Record<ControllerName, readonly Kind[]>> = {
  infra: [
    infraKind,
    clusterAttachmentKind,
    dhcpServerKind,
    dnsServerKind,
    proxyServerKind,
    dhcpLeaseKind,
    ...Object.values(ownedKinds),
    podKind,
    namespace,
  ],
  virtualingress: [virtualIngressKind, serviceKind, endpointSliceKind, ingressKind],
}

/**
 * Can the operator work here at all? Asked once at the start, so that what is missing is one sentence and not a log
 * full of failing watches.
 */
export async function preflight(
  client: KubeClient,
  controllers: readonly ControllerName[],
  signal: AbortSignal,
  namespaces: readonly string[] = [],
): Promise<Problem[]> {
  const missing: string[] = []
  const refused: string[] = []
  const kinds = new Set(controllers.flatMap((name) => neededKinds[name]))
  for (const kind of kinds) {
    try {
      for (const where of namespaces.length > 0 ? namespaces : [undefined]) {
        // One that cannot be there: it is the right to list that is asked for.
        await client.list(kind, { namespace: where, fieldSelector: 'metadata.name=-', signal })
      }
    } catch (error) {
      if (isKindMissing(error)) missing.push(kind.kind)
      else if (error instanceof ApiError && error.status === 403) refused.push(kind.plural)
      else throw error
    }
  }
  const problems: Problem[] = []
  if (missing.length > 0) {
    const message = `The cluster does not know ${missing.join(', ')}: install the kinds of oooi with "oooi crds --install" or the chart.`
    problems.push({ reason: 'ClusterUnusable', message })
  }
  if (refused.length > 0) {
    const message = `This user may not list ${refused.join(', ')} in ${namespaces.join(', ') || 'all namespaces'}: give it the ClusterRole of the chart.`
    problems.push({ reason: 'ClusterUnusable', message })
  }
  return problems
}
