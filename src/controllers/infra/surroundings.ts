import type { Infra } from '../../api/infra.ts'
import { overlap } from '../../core/discover/checks.ts'
import { cidrContains, parseCidr } from '../../core/net/cidr.ts'
import { parseIpv4 } from '../../core/net/ipv4.ts'
import type { Problem } from '../../core/result.ts'
import { domainOf } from '../../core/translate/binding.ts'
import { networkRemarks } from '../../core/translate/network.ts'
import { keyOf } from '../../runtime/kube/object.ts'
import { infraOfPolicy } from '../shared/caches.ts'
import type { GatheredClusters } from '../shared/clusters.ts'
import type { Observer } from '../shared/operator.ts'
import { clusterAddresses, proxyServiceOf } from '../shared/service.ts'

/** What around an Infra is not as it should be, although everything can be served. */
export function surroundingsWarnings(observer: Observer, infra: Infra, clusters: GatheredClusters): Problem[] {
  return [
    ...leftOut(clusters),
    ...networkRemarks(infra),
    ...widePolicies(observer, clusters),
    ...overlaps(observer, infra),
  ]
}

/** Whoever attaches a second cluster does not mean to cut off the one that was there. */
function leftOut({ ignored, bound }: GatheredClusters): Problem[] {
  const ref = ignored?.hostedCluster
  const domain = domainOf(ignored?.dns)
  const what = ref ? `HostedCluster ${keyOf(ref)}` : domain
  const isAttached = bound.some(
    ({ claim, binding }) =>
      (ref && claim.hostedCluster && keyOf(claim.hostedCluster) === keyOf(ref)) ||
      (domain !== undefined && binding?.domain === domain),
  )
  if (what === undefined || isAttached) return []
  const message = `${what}, which the Infra's own fields name, is not served while other clusters are attached: attach it too, or take it out of the Infra`
  return [{ reason: 'FieldIgnored', message }]
}

/** The Go program opened every pod of a control plane to every namespace with a label, and never closed it again. */
const wideName = 'allow-infrastructure'

function widePolicies({ caches }: Observer, { bound }: GatheredClusters): Problem[] {
  const namespaces = [...new Set(bound.map(({ claim }) => claim.controlPlaneNamespace))]
  return namespaces.flatMap((namespace) => {
    const policy = caches.networkPolicies.objects.get(`${namespace}/${wideName}`)
    if (!policy || infraOfPolicy(policy).length > 0) return []
    const command = `kubectl delete networkpolicy ${wideName} -n ${namespace}`
    const message = `NetworkPolicy ${namespace}/${wideName} of the earlier program opens the whole control plane: ${command}`
    return [{ reason: 'PolicyTooWide', message }]
  })
}

/** Networks of this cluster are in no object that is there everywhere; addresses of our own objects are in them. */
function overlaps({ caches }: Observer, { metadata, spec }: Infra): Problem[] {
  const vlan = parseCidr(spec.networkConfig.cidr)
  const isInside = (text: string): boolean => {
    const address = parseIpv4(text)
    return vlan !== undefined && address !== undefined && cidrContains(vlan, address)
  }
  const services = clusterAddresses(proxyServiceOf(caches, metadata)).filter(isInside)
  const pods = (['dhcp', 'dns', 'proxy'] as const).flatMap((role) =>
    caches.pods.objects.byIndex('byComponent', `${role}-server/${keyOf(metadata)}-${role}`),
  )
  const podAddresses = pods.flatMap(({ status }) => status?.podIP ?? []).filter(isInside)
  const found = [
    ...services.slice(0, 1).map((address) => `the network of Services, where ${address} is`),
    ...podAddresses.slice(0, 1).map((address) => `the network of pods, where ${address} is`),
  ]
  return found.map((other) => overlap(spec.networkConfig.cidr, other))
}
