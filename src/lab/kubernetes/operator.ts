import { join } from 'node:path'
import { locateHelm } from '../../../tools/helm/helm.ts'
import type { InfraInput } from '../../api/infra.ts'
import { run } from '../host/command.ts'
import { labInfra } from '../infra.ts'
import type { Cluster } from './cluster.ts'
import { images } from './images.ts'

/** Where the Infra and all that is made of it live. */
export const infraNamespace = 'clusters'
export const operatorNamespace = 'oooi-system'

const chart = join(import.meta.dirname, '..', '..', '..', 'charts', 'oooi')
const attachment = 'vlan100'

/** The chart, installed by real Helm as a user would. */
export async function installOperator(cluster: Cluster, values: Readonly<Record<string, string>> = {}): Promise<void> {
  const helm = await locateHelm()
  if (helm === undefined) throw new Error('no Helm in the cache: run "make setup" first')
  await cluster.apply([restrictedNamespace(operatorNamespace), restrictedNamespace(infraNamespace)])
  const [repository = '', tag = ''] = images.oooi.split(/:(?=[^/]*$)/)
  const image = { 'image.repository': repository, 'image.tag': tag }
  const all = { ...image, envoyImage: images.envoy, allowedTargetCIDRs: `{${cluster.plan.lab.pods.cidr}}`, ...values }
  const settings = Object.entries(all).flatMap(([name, value]) => ['--set', `${name}=${value}`])
  const place = ['--namespace', operatorNamespace, '--kubeconfig', cluster.kubeconfigPath]
  await run(helm, ['install', 'oooi', chart, ...settings, '--wait', '--timeout', '90s', ...place], {
    // Helm caches what it discovers; without a home it would do so in the current directory.
    env: { HOME: cluster.ledger.directory },
  })
}

type Components = NonNullable<InfraInput['spec']['infraComponents']>

/** What differs from the lab's own Infra. */
export interface InfraChanges {
  readonly dhcp?: Partial<NonNullable<Components['dhcp']>>
  readonly dns?: Partial<NonNullable<Components['dns']>>
  readonly spec?: Partial<InfraInput['spec']>
}

/** The lab's Infra as one for a cluster. */
export function applyInfra(cluster: Cluster, changes: InfraChanges = {}): Promise<void> {
  const infra = labInfra(cluster.plan.lab)
  const { networkConfig, infraComponents = {} } = infra.spec
  const components = {
    ...infraComponents,
    dhcp: { ...infraComponents.dhcp, ...changes.dhcp },
    dns: { ...infraComponents.dns, ...changes.dns },
    proxy: { ...infraComponents.proxy, internalProxyService: undefined },
  }
  const network = { ...networkConfig, networkAttachmentDefinition: attachment }
  const spec = { ...infra.spec, networkConfig: network, infraComponents: components, ...changes.spec }
  return cluster.apply([{ ...infra, metadata: { ...infra.metadata, namespace: infraNamespace }, spec }])
}

/** The strictest Pod Security there is, enforced by the API server. */
export function restrictedNamespace(name: string): object {
  const enforced = { 'pod-security.kubernetes.io/enforce': 'restricted' }
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: enforced } }
}

/** The NetworkAttachmentDefinition that puts pods of the namespace onto the VLAN. */
export function vlanAttachment(namespace: string, bridge: string): object {
  const plugin = { type: 'bridge', bridge, capabilities: { ips: true }, ipam: { type: 'static' } }
  const config = JSON.stringify({ cniVersion: '0.3.1', name: attachment, plugins: [plugin] })
  return {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name: attachment, namespace },
    spec: { config },
  }
}
