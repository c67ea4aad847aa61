import { serveControl } from '../control/server.ts'
import type { VmReport } from '../events.ts'
import { type OwnedOptions, phases } from '../owned.ts'
import type { Cluster } from './cluster.ts'
import { clusterControl } from './control.ts'
import { applyInfra, infraNamespace, installOperator, operatorNamespace, vlanAttachment } from './operator.ts'

/**
 * oooi in the cluster as a user would have it, with a hosted control plane to serve: `use` gets what boots the machines
 * through it, and meanwhile others may break and mend it over the lab's socket.
 */
export async function withOperator<Value>(
  cluster: Cluster,
  options: OwnedOptions,
  use: (boot: () => Promise<VmReport[]>) => Promise<Value>,
): Promise<Value> {
  const phase = phases(options)
  const [hosted] = await phase(
    'operator',
    Promise.all([cluster.startHostedControlPlane(), installOperator(cluster)]),
    () => `chart oooi installed by Helm into ${operatorNamespace}`,
  )
  const serve = async (): Promise<void> => {
    await cluster.apply([vlanAttachment(infraNamespace, cluster.plan.vlanBridge)])
    await applyInfra(cluster)
    await cluster.waitFor('infra/lab', 'condition=Ready', infraNamespace, 120)
  }
  await phase('oooi', serve(), () => `Infra ${infraNamespace}/lab is Ready: pods serve the VLAN`)
  const control = clusterControl(cluster, hosted, options.onEvent)
  const { ledger, machines } = cluster
  return serveControl({ ledger, plan: cluster.plan.lab, machines, control }, () =>
    use(() => control.inTurn(() => machines.bootAll())),
  )
}
