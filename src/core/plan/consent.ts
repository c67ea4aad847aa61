import { apiGroup } from '../../api/meta.ts'
import type { ProxyBackend } from '../../api/proxyserver.ts'
import { type Cidr, cidrContains, formatCidr } from '../net/cidr.ts'
import { parseIpv4 } from '../net/ipv4.ts'
import { isRemoteUnicast } from '../proxy/target-policy.ts'
import type { Problem } from '../result.ts'

/** On a namespace: which other namespaces may have oooi objects that lead into it. */
export const consentAnnotation = `${apiGroup}/allow-infra-from`

/** Who may lead connections where, as far as the cluster and the operator's flags tell. */
export interface Consent {
  /** For clusters that one team has for itself. */
  readonly anyNamespace: boolean
  /** Where addresses outside the VLAN may lie. */
  readonly targetCidrs: readonly Cidr[]
  /** `<namespace>/<name>` of the HostedClusters that the control planes in a namespace belong to. */
  hostedClustersOf(namespace: string): readonly string[]
  /** What the namespace itself says: the value of its annotation. */
  annotationOf(namespace: string): string | undefined
}

/**
 * May objects of one namespace lead into another? To create an Infra must not be enough to open somebody else's
 * control plane: it has to be the own one, by what HyperShift noted on it (never by what a name looks like), or the
 * other namespace has to say so itself.
 */
export function mayUseNamespace(from: string, target: string, consent: Consent): boolean {
  if (from === target || consent.anyNamespace) return true
  if (consent.hostedClustersOf(target).some((cluster) => cluster.split('/')[0] === from)) return true
  return (consent.annotationOf(target) ?? '').split(',').some((entry) => entry.trim() === from)
}

export function namespaceNotPermitted(from: string, target: string, field: string, earlier = ''): Problem {
  const value = [...earlier.split(',').map((entry) => entry.trim()), from].filter(Boolean).join(',')
  const command = `kubectl annotate namespace ${target} --overwrite ${consentAnnotation}=${value}`
  const message = `${target} is another namespace and does not permit ${from} to lead connections there; whoever owns it can: ${command}`
  return { reason: 'TargetNotPermitted', field, message }
}

/**
 * Everything in the way of this backend. A target that is a name could be any Service of the cluster under another
 * spelling, so names are for clusters where any namespace may be used.
 */
export function backendProblems(
  from: string,
  backend: Pick<ProxyBackend, 'targetNamespace' | 'targetAddress'>,
  field: string,
  consent: Consent,
  vlan: Cidr | undefined,
): Problem[] {
  const { targetNamespace, targetAddress } = backend
  if (targetNamespace !== undefined) {
    if (mayUseNamespace(from, targetNamespace, consent)) return []
    return [
      namespaceNotPermitted(from, targetNamespace, `${field}.targetNamespace`, consent.annotationOf(targetNamespace)),
    ]
  }
  if (targetAddress === undefined) return []
  const address = parseIpv4(targetAddress)
  const isName = address === undefined && !targetAddress.includes(':')
  if (isName && consent.anyNamespace) return []
  const permitted = [...(vlan ? [vlan] : []), ...consent.targetCidrs]
  const isInside = address !== undefined && permitted.some((cidr) => cidrContains(cidr, address))
  if (isInside && isRemoteUnicast(targetAddress)) return []
  const where = permitted.map(formatCidr).join(', ') || 'none'
  const why = isName ? 'is a name, which may lead anywhere' : 'is outside the networks that targets may lie in'
  const message = `${targetAddress} ${why}: give an address inside these (${where}), or have the operator's --allowed-target-cidrs widened`
  return [{ reason: 'TargetNotPermitted', field: `${field}.targetAddress`, message }]
}
