import { join } from 'node:path'
import { LabControl } from '../control/control.ts'
import type { Fault, FaultName } from '../control/fault.ts'
import { surroundingFaults } from '../control/faults.ts'
import type { Said } from '../control/look.ts'
import { caFile } from '../controlplane/certificates.ts'
import { certificateDirectory, type HostedControlPlane } from '../controlplane/start.ts'
import type { OnLabEvent } from '../events.ts'
import type { Cluster } from './cluster.ts'
import { infraNamespace } from './operator.ts'

/** The same breaks as in the lab without Kubernetes, done the way they happen in a cluster. */
export function clusterControl(cluster: Cluster, controlPlane: HostedControlPlane, onEvent: OnLabEvent): LabControl {
  const { machines } = cluster
  const plan = cluster.plan.lab
  return new LabControl({
    plan,
    machines,
    caFile: join(certificateDirectory(cluster.ledger), caFile),
    podSide: { namespace: cluster.nodes[0]?.plan.namespace ?? '', address: () => proxyServiceAddress(cluster) },
    status: () => infraStatus(cluster),
    faults: (vm) => ({
      ...componentFaults(cluster),
      ...surroundingFaults({ plan, controlPlane, machines }, vm),
    }),
    onEvent,
  })
}

/** A component's pod is deleted and finds no node that would take it, as when a cluster is full or being drained. */
function componentFaults(cluster: Cluster): Record<Extract<FaultName, 'dhcp' | 'dns' | 'proxy'>, Fault> {
  const component = (name: 'dhcp' | 'dns' | 'proxy', survives: string): Fault => ({
    does: `the pod of ${name} is deleted, and no node takes new pods`,
    survives,
    heals: 'when a node takes pods again, the pod starts, has its address and its state, and serves',
    inflict: async () => {
      await forEachNode(cluster, 'cordon')
      const pods = ['-n', infraNamespace, '-l', `app=${name}-server`]
      await cluster.kubectl(['delete', 'pod', ...pods, '--wait=true', '--grace-period=1'])
    },
    mend: () => forEachNode(cluster, 'uncordon'),
  })
  return {
    dhcp: component('dhcp', 'everything of a VM that has its lease; only new leases and renewals wait'),
    dns: component('dns', 'what needs no name: addresses, open streams, the API by address'),
    proxy: component('proxy', 'addresses and names, *.apps; streams end with their proxy and are opened again'),
  }
}

async function forEachNode(cluster: Cluster, verb: 'cordon' | 'uncordon'): Promise<void> {
  for (const node of cluster.nodes) await cluster.kubectl([verb, node.plan.name])
}

interface Service {
  readonly spec?: { readonly clusterIP?: string }
}

/** What a name of the hosted cluster leads pods to. */
async function proxyServiceAddress(cluster: Cluster): Promise<string> {
  const { body } = await cluster.request<Service>(`/api/v1/namespaces/${infraNamespace}/services/lab-proxy`)
  return body.spec?.clusterIP ?? 'none'
}

interface Infra {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason: string
      readonly message: string
    }[]
  }
}

/** The conditions of the Infra, as `kubectl describe` shows them. */
async function infraStatus(cluster: Cluster): Promise<Said> {
  const path = `/apis/hostedcluster.densityops.com/v1alpha1/namespaces/${infraNamespace}/infras/lab`
  const { body } = await cluster.request<Infra>(path)
  const conditions = body.status?.conditions ?? []
  const ready = conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  // A component that is Ready says in its message what it leads to and does not reach.
  const components = conditions.filter(({ type }) => ['DHCPReady', 'DNSReady', 'ProxyReady'].includes(type))
  return {
    ready,
    troubled: !ready || components.some(({ message }) => message !== ''),
    lines: conditions.map(({ type, status, reason, message }) =>
      `${type.padEnd(20)} ${status.padEnd(8)} ${reason} ${message}`.trimEnd(),
    ),
  }
}
