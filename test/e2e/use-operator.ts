import { run } from '../../src/lab/host/command.ts'
import type { Cluster } from '../../src/lab/kubernetes/cluster.ts'
import {
  applyInfra,
  type InfraChanges,
  installOperator,
  infraNamespace as namespace,
  vlanAttachment,
} from '../../src/lab/kubernetes/operator.ts'
import { inNamespace } from '../../src/lab/network/build.ts'
import { namespaceOf } from '../../src/lab/plan.ts'
import { until } from '../../src/lab/testing.ts'

export { infraNamespace as namespace, operatorNamespace } from '../../src/lab/kubernetes/operator.ts'

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

/** The chart on the real node, installed by real Helm, and what the tests ask of it. */
export class InstalledOperator {
  readonly #cluster: Cluster

  private constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  static async install(cluster: Cluster, values: Readonly<Record<string, string>> = {}): Promise<InstalledOperator> {
    await installOperator(cluster, values)
    return new InstalledOperator(cluster)
  }

  /** With everything that the lab's Infra needs, and the Infra itself, until it is Ready. */
  static async serving(
    cluster: Cluster,
    { values = {}, dns = {} }: { values?: Readonly<Record<string, string>>; dns?: InfraChanges['dns'] } = {},
  ): Promise<InstalledOperator> {
    const operator = await InstalledOperator.install(cluster, values)
    await operator.attachVlan()
    await cluster.startHostedControlPlane()
    await operator.applyInfra({}, dns)
    await operator.untilReady(120)
    return operator
  }

  /** The NetworkAttachmentDefinition that the Infra names. */
  attachVlan(): Promise<void> {
    return this.#cluster.apply([vlanAttachment(namespace, this.#cluster.plan.vlanBridge)])
  }

  /** The lab's Infra as one for a cluster. */
  applyInfra(
    dhcp: InfraChanges['dhcp'] = {},
    dns: InfraChanges['dns'] = {},
    spec: InfraChanges['spec'] = {},
  ): Promise<void> {
    return applyInfra(this.#cluster, { dhcp, dns, spec })
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
