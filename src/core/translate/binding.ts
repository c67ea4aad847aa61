import type { Infra } from '../../api/infra.ts'
import { parseDnsName } from '../net/name.ts'

/** One hosted cluster on the VLAN: the names its machines use, and where its control plane is. */
export interface Binding {
  /** `<cluster>.<base domain>`; api, oauth and the others are below it. */
  readonly domain: string
  readonly controlPlaneNamespace: string
  readonly apiServerService: string
  readonly apps?: AppsIngress | undefined
  /** The HostedCluster was found, so its virtual machines are known. Never so outside Kubernetes. */
  readonly knowsItsMachines: boolean
}

/** The ingress of a hosted cluster, as far as its address is known. */
export interface AppsIngress {
  /** `*.<domain>` are the applications. */
  readonly domain: string
  readonly address: string
  readonly httpsPort: number
}

/** The Infra's own fields as a list of one cluster; empty when they name no domain. */
export function ownBindings(infra: Infra): Binding[] {
  const { dns, proxy } = infra.spec.infraComponents
  if (dns?.baseDomain === undefined || dns.clusterName === undefined) return []
  const domain = canonical(`${dns.clusterName}.${dns.baseDomain}`)
  const { name, namespace = 'default' } = infra.metadata
  return [
    {
      domain,
      controlPlaneNamespace: proxy?.controlPlaneNamespace ?? `${namespace}-${name}`,
      apiServerService: proxy?.apiServerService ?? 'kube-apiserver',
      apps: ownAppsIngress(infra, dns.clusterName, domain),
      knowsItsMachines: false,
    },
  ]
}

function ownAppsIngress(infra: Infra, clusterName: string, clusterDomain: string): AppsIngress | undefined {
  const apps = infra.spec.appsIngress
  if (!apps?.enabled || apps.address === undefined) return undefined
  return {
    domain: canonical(appsDomain(apps.baseDomain?.toLowerCase(), clusterName, clusterDomain)),
    address: apps.address,
    httpsPort: apps.ports.https,
  }
}

/** `appsIngress.baseDomain` is the domain above the cluster, unless it starts with `apps.` and so is the whole name. */
function appsDomain(baseDomain: string | undefined, clusterName: string, clusterDomain: string): string {
  if (baseDomain === undefined) return `apps.${clusterDomain}`
  return baseDomain.startsWith('apps.') ? baseDomain : `apps.${clusterName}.${baseDomain}`
}

/** People write domains in any case and with the dot of the root; everything below has one spelling. */
function canonical(domain: string): string {
  return parseDnsName(domain) ?? domain
}
