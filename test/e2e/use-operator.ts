import { join } from 'node:path'
import type { InfraInput } from '../../src/api/infra.ts'
import { run } from '../../src/lab/host/command.ts'
import { labInfra } from '../../src/lab/infra.ts'
import type { Cluster } from '../../src/lab/kubernetes/cluster.ts'
import { images } from '../../src/lab/kubernetes/images.ts'
import { inNamespace } from '../../src/lab/network/build.ts'
import { namespaceOf } from '../../src/lab/plan.ts'
import { until } from '../../src/lab/testing.ts'
import { locateHelm } from '../../tools/helm/helm.ts'
import { restrictedNamespace, vlanAttachment } from './cluster-objects.ts'

/** Where the Infra of the tests and all that is made of it live. */
export const namespace = 'clusters'
export const operatorNamespace = 'oooi-system'

const chart = join(import.meta.dirname, '..', '..', 'charts', 'oooi')
const group = `/apis/hostedcluster.densityops.com/v1alpha1/namespaces/${namespace}`

export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

interface Conditioned {
  readonly status?: { readonly conditions?: readonly Condition[] }
}

type Components = NonNullable<InfraInput['spec']['infraComponents']>
type DhcpFields = NonNullable<Components['dhcp']>
type DnsFields = NonNullable<Components['dns']>

/** The chart on the real node, installed by real Helm, and what the tests ask of it. */
export class InstalledOperator {
  readonly #cluster: Cluster

  private constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  static async install(cluster: Cluster, values: Readonly<Record<string, string>> = {}): Promise<InstalledOperator> {
    const helm = await locateHelm()
    if (helm === undefined) throw new Error('no Helm in the cache: run "make setup" first')
    await cluster.apply([restrictedNamespace(operatorNamespace), restrictedNamespace(namespace)])
    const [repository = '', tag = ''] = images.oooi.split(/:(?=[^/]*$)/)
    const image = { 'image.repository': repository, 'image.tag': tag }
    const all = { ...image, allowedTargetCIDRs: `{${cluster.plan.lab.pods.cidr}}`, ...values }
    const settings = Object.entries(all).flatMap(([name, value]) => ['--set', `${name}=${value}`])
    const place = ['--namespace', operatorNamespace, '--kubeconfig', cluster.kubeconfigPath]
    await run(helm, ['install', 'oooi', chart, ...settings, '--wait', '--timeout', '90s', ...place], {
      // Helm caches what it discovers; without a home it would do so in the current directory.
      env: { HOME: cluster.ledger.directory },
    })
    return new InstalledOperator(cluster)
  }

  /** The NetworkAttachmentDefinition that the Infra names. */
  attachVlan(): Promise<void> {
    return this.#cluster.apply([vlanAttachment(namespace, this.#cluster.plan.vlanBridge)])
  }

  /** The lab's Infra as one for a cluster. */
  applyInfra(dhcp: Partial<DhcpFields> = {}, dns: Partial<DnsFields> = {}): Promise<void> {
    const infra = labInfra(this.#cluster.plan.lab)
    const { networkConfig, infraComponents = {} } = infra.spec
    const proxy = { ...infraComponents.proxy, internalProxyService: undefined }
    const components = {
      ...infraComponents,
      dhcp: { ...infraComponents.dhcp, ...dhcp },
      dns: { ...infraComponents.dns, ...dns },
      proxy,
    }
    const network = { ...networkConfig, networkAttachmentDefinition: 'vlan100' }
    return this.#cluster.apply([
      {
        ...infra,
        metadata: { ...infra.metadata, namespace },
        spec: { ...infra.spec, networkConfig: network, infraComponents: components },
      },
    ])
  }

  untilReady(withinSeconds = 60): Promise<void> {
    return this.#cluster.waitFor('infra/lab', 'condition=Ready', namespace, withinSeconds)
  }

  /** An object of oooi's own kinds, such as `get('dhcpservers/lab-dhcp')`. */
  async get<Body = Conditioned>(path: string): Promise<Body> {
    return (await this.#cluster.request<Body>(`${group}/${path}`)).body
  }

  async conditions(path = 'infras/lab'): Promise<readonly Condition[]> {
    return (await this.get(path)).status?.conditions ?? []
  }

  /** Waits until the condition has the status, and gives it. */
  untilCondition(type: string, status: string, path = 'infras/lab', withinMs = 60_000): Promise<Condition> {
    const look = async (): Promise<Condition | undefined> =>
      (await this.conditions(path)).find((condition) => condition.type === type && condition.status === status)
    return until(`${type} ${status} of ${path}`, look, withinMs)
  }

  async names(kind: string): Promise<string[]> {
    const told = await this.#cluster.kubectl(['get', kind, '-n', namespace, '-o', 'name'])
    return told.split('\n').filter(Boolean)
  }

  /** What the DNS server says on the VLAN, to a machine that may have asked an earlier pod; undefined for no answer. */
  async resolve(name: string): Promise<string | undefined> {
    const { lab } = this.#cluster.plan
    const onVlan = namespaceOf(lab, 'vlan')
    const dig = ['dig', '+short', '+time=1', '+tries=1', `@${lab.vlan.dns}`, name]
    const [command = '', ...args] = inNamespace(onVlan, dig)
    return run(command, args).then(
      (text) => text.trim() || undefined,
      () => undefined,
    )
  }
}
