import { Command, Option } from 'commander'
import { checkHost } from '../../lab/host/requirements.ts'
import type { Cluster } from '../../lab/kubernetes/cluster.ts'
import type { NodeCount } from '../../lab/kubernetes/plan.ts'
import { namespaceOf } from '../../lab/plan.ts'
import { exitCode } from '../exit.ts'
import { outputOption, parseNumber, stayOptions } from '../options.ts'
import { textTable } from '../table.ts'
import { reportProblems, type Terminal } from '../terminal.ts'
import { runLab, untilStopped } from './frame.ts'
import { allBooted, labDocument, labFailures, labTable } from './report.ts'

/** Pods and machines share two networks of 254 addresses and the memory of one host. */
const maxClusterVms = 20

interface LabClusterOptions {
  readonly once?: true
  readonly keep?: true
  readonly nodes: string
  readonly vms: number
  readonly output: string
}

const more = `
etcd, API server, controller manager and scheduler on one machine, and on each node containerd, kubelet and kube-proxy:
the real programs, in network namespaces instead of machines. Pods run; they reach each other and Services, get a second
interface on the lab's VLAN by annotation, and volumes by claim. Every node has the image of oooi as it is in this
checkout; oooi itself is installed by Helm, with an Infra, and a VM on the VLAN boots through its pods. Nothing of it touches the network of this machine, and nothing is left of it.

Examples:
  oooi lab-cluster                  a cluster with oooi and a booted VM, until Ctrl-C
  oooi lab-cluster --vms 0          the cluster alone
  oooi lab break dns                in another terminal: the same breaks as in oooi lab
  oooi lab-cluster --nodes 2        with a node to lose
  oooi lab-cluster --once -o json   does it come up?`

export function labClusterCommand(terminal: Terminal): Command {
  const command = new Command('lab-cluster')
    .description('a real Kubernetes with one or two nodes on this machine, without Docker (needs root)')
    .addOption(new Option('--nodes <number>', 'how many nodes').choices(['1', '2']).default('1'))
    .addOption(
      new Option('--vms <number>', 'VMs that boot through oooi in the cluster; 0 for a cluster without oooi')
        .argParser((text) => parseNumber(text, 0, maxClusterVms))
        .default(1),
    )
    .addOption(outputOption())
    .addHelpText('after', more)
    .action((options: LabClusterOptions) => labCluster(terminal, options))
  for (const option of stayOptions()) command.addOption(option)
  return command
}

async function labCluster(terminal: Terminal, options: LabClusterOptions): Promise<void> {
  const host = checkHost()
  if (!host.ok) return reportProblems(terminal, host.problems)
  // Loaded when it is clear that there is a checkout: they read files of it.
  const { findAssets } = await import('../../lab/kubernetes/assets.ts')
  const { withCluster } = await import('../../lab/kubernetes/cluster.ts')
  const { withOperator } = await import('../../lab/kubernetes/inhabited.ts')
  const assets = await findAssets(terminal.userId, terminal.env)
  if (!assets.ok) return reportProblems(terminal, assets.problems)
  const json = options.output === 'json'
  const stays = options.keep || (terminal.interactive && !options.once)
  const nodes: NodeCount = options.nodes === '2' ? 2 : 1
  const shape = { nodes, namespaceVms: options.vms }
  await runLab(terminal, json, (frame) =>
    withCluster({ assets: assets.value, ...shape, ...frame }, async (cluster) => {
      const stay = async (): Promise<void> => {
        if (!stays) return
        if (!json) terminal.stdout.write(lookAround(cluster))
        await untilStopped(terminal)
      }
      if (options.vms === 0) {
        if (json) terminal.stdout.write(`${JSON.stringify(clusterDocument(cluster))}\n`)
        return stay()
      }
      return withOperator(cluster, frame, async (boot) => {
        const reports = await boot()
        terminal.exitCode = allBooted(reports) ? exitCode.ok : exitCode.failed
        const document = { ...clusterDocument(cluster), ...labDocument(reports) }
        terminal.stdout.write(json ? `${JSON.stringify(document)}\n` : `\n${labTable(reports)}\n`)
        terminal.stderr.write(labFailures(reports))
        await stay()
      })
    }),
  )
}

function clusterDocument({ kubeconfigPath, url, plan, images }: Cluster): object {
  const nodes = plan.nodes.map(({ name, namespace, address }) => ({ name, namespace, address }))
  return { id: plan.lab.id, kubeconfig: kubeconfigPath, server: url, nodes, images }
}

function lookAround({ kubeconfigPath, kubectlPath, plan, nodes, images }: Cluster): string {
  const enter = (what: string): string => `nsenter --net=/run/netns/${namespaceOf(plan.lab, what)}`
  const commands = textTable([
    ['  use it', `export KUBECONFIG=${kubeconfigPath} PATH=$PATH:${kubectlPath.replace(/\/kubectl$/, '')}`],
    ['  nodes, pods', 'kubectl get nodes,pods -A -o wide'],
    ['  what oooi says', 'kubectl get oooi -A; kubectl describe infra -n clusters lab'],
    ['  break something', 'bin/oooi lab break dns; bin/oooi lab heal'],
    ['  a pod with a shell', `kubectl run shell --image=${images.busybox}; kubectl exec -it shell -- sh`],
    ['  images on every node', Object.values(images).join(' ')],
    ['  the network of a node', `${enter(nodes[0]?.plan.name ?? '')} ip address`],
    ['  as a machine on the VLAN', `${enter('vlan')} dig @ADDRESS NAME`],
    ['  logs', nodes.map((node) => node.logs).join(' ')],
  ])
  return `\nThe cluster stays up until Ctrl-C. In another terminal, as root:\n${commands}`
}
