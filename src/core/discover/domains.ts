import { parseDnsName } from '../net/name.ts'
import type { HostedCluster } from './hostedcluster.ts'

type Named = Pick<HostedCluster, 'name' | 'baseDomain' | 'baseDomainPrefix'>

/** `<prefix>.<base domain>`; the prefix is the name of the HostedCluster unless it says another, or none by "". */
export function clusterDomainOf({ name, baseDomain, baseDomainPrefix }: Named): string | undefined {
  if (baseDomain === undefined) return undefined
  const prefix = baseDomainPrefix ?? name
  return parseDnsName(prefix === '' ? baseDomain : `${prefix}.${baseDomain}`)
}

/** `*.<apps domain>` are the applications; undefined where HyperShift itself decides (no base domain of its own). */
export function appsDomainOf(cluster: Named & Pick<HostedCluster, 'appsDomain' | 'ingressDomain'>): string | undefined {
  const given = cluster.appsDomain ?? cluster.ingressDomain
  if (given !== undefined) return parseDnsName(given)
  const domain = clusterDomainOf(cluster)
  return domain === undefined ? undefined : parseDnsName(`apps.${domain}`)
}
