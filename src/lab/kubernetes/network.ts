import { run } from '../host/command.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { buildNetwork, setSysctl } from '../network/build.ts'
import type { ClusterPlan } from './plan.ts'
import { clusterTopology, forwardingNamespaces, nodeCommands } from './topology.ts'

export async function makeNetwork(ledger: Ledger, plan: ClusterPlan): Promise<void> {
  await buildNetwork(ledger, clusterTopology(plan))
  for (const { namespace = '', lines } of nodeCommands(plan)) {
    await run('ip', ['-n', namespace, '-batch', '-'], { input: `${lines.join('\n')}\n` })
  }
  await Promise.all(forwardingNamespaces(plan).map((name) => setSysctl(name, 'net/ipv4/ip_forward', '1')))
}
