import type { Infra } from '../../api/infra.ts'
import type { Endpoint } from '../discover/endpoints.ts'
import { parseDnsName } from '../net/name.ts'

/** One hosted cluster on the VLAN: the names its machines use, and where its control plane is. */
export interface Binding {
  /** The attachment that binds it; undefined where the Infra's own fields do. */
  readonly name?: string | undefined
  /** `<cluster>.<base domain>`; machines are below it, and without a HostedCluster also api, oauth and the others. */
  readonly domain: string
  readonly controlPlaneNamespace: string
  readonly apiServerService: string
  /** What its HostedCluster publishes; without one, the names that are usual. */
  readonly endpoints?: readonly Endpoint[] | undefined
  readonly apps?: AppsIngress | undefined
  /** The HostedCluster was found, so its virtual machines are known. Never so outside Kubernetes. */
  readonly knowsItsMachines: boolean
  /**
   * Where its machines are, if that is given: who calls names that every cluster has is told by it. Empty: it gets all
   * who are told apart by nothing. Undefined: they are known by their leases.
   */
  readonly machineNetworks?: readonly string[] | undefined
}

/** The ingress of a hosted cluster, as far as its address is known. */
export interface AppsIngress {
  /** `*.<domain>` are the applications. */
  readonly domain: string
  readonly address: string
  readonly httpPort: number
  readonly httpsPort: number
}

/** The Infra's own fields as a list of one cluster; empty when they name no domain. */
export function ownBindings(infra: Infra): Binding[] {
  const { dns, proxy } = infra.spec.infraComponents
  const domain = domainOf(dns)
  if (domain === undefined) return []
  return [
    {
      domain,
      controlPlaneNamespace: proxy?.controlPlaneNamespace ?? usualNamespace(infra.metadata),
      apiServerService: proxy?.apiServerService ?? usualApiService,
      apps: appsIngressOf(infra.spec.appsIngress, { domain, clusterName: dns?.clusterName }),
      knowsItsMachines: false,
    },
  ]
}

export const usualApiService = 'kube-apiserver'

/** Where the Go program looked for the control plane of an Infra that says nothing about it. */
export function usualNamespace({ name, namespace = 'default' }: Infra['metadata']): string {
  return `${namespace}-${name}`
}

interface DomainFields {
  readonly clusterName?: string | undefined
  readonly baseDomain?: string | undefined
}

export function domainOf({ clusterName, baseDomain }: DomainFields = {}): string | undefined {
  return clusterName === undefined || baseDomain === undefined ? undefined : canonical(`${clusterName}.${baseDomain}`)
}

/** What is known of the cluster beside its appsIngress. */
interface AppsSurroundings {
  readonly domain: string
  readonly clusterName?: string | undefined
  /** What the HostedCluster says. */
  readonly appsDomain?: string | undefined
  /** What the load balancer in the hosted cluster gave, now or at last. */
  readonly foundAddress?: string | undefined
}

export function appsIngressOf(apps: Infra['spec']['appsIngress'], cluster: AppsSurroundings): AppsIngress | undefined {
  const address = apps?.address ?? cluster.foundAddress
  if (!apps?.enabled || address === undefined) return undefined
  return {
    domain: appsDomain(apps.baseDomain, cluster),
    address,
    httpPort: apps.ports.http,
    httpsPort: apps.ports.https,
  }
}

/** `appsIngress.baseDomain` is the domain above the cluster, unless it starts with `apps.` and so is the whole name. */
export function appsDomain(
  written: string | undefined,
  { domain, clusterName, appsDomain: said }: AppsSurroundings,
): string {
  const baseDomain = written?.toLowerCase()
  if (baseDomain === undefined) return canonical(said ?? `apps.${domain}`)
  if (baseDomain.startsWith('apps.')) return canonical(baseDomain)
  return canonical(`apps.${clusterName ?? domain.split('.')[0]}.${baseDomain}`)
}

/** People write domains in any case and with the dot of the root; everything below has one spelling. */
function canonical(domain: string): string {
  return parseDnsName(domain) ?? domain
}
