import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../host/command.ts'
import { startProcess } from '../../host/process.ts'
import { makeCgroup } from '../../ledger/cgroup.ts'
import { endProcess } from '../../ledger/endprocess.ts'
import { identify, type ProcessIdentity } from '../../ledger/identity.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { inNamespace } from '../../network/build.ts'
import type { ControlPlane } from '../controlplane/controlplane.ts'
import type { ClusterPlan, NodePlan } from '../plan.ts'
import { containerdToml, kubeletConfiguration, networksPlugin, podNetwork, resolvConf } from './config.ts'

/** One node of the lab's Kubernetes: a network namespace, and in it processes that believe to be alone on a machine. */
export interface Node {
  readonly plan: NodePlan
  /** Where the logs of its kubelet, containerd and kube-proxy are, for people. */
  readonly logs: string
  /** Everything in it dies at once; its disk stays. */
  powerOff(): Promise<void>
  powerOn(): Promise<void>
  /** Takes both cables out of it, or puts them in again; what runs in it runs on. */
  unplug(): Promise<void>
  plug(): Promise<void>
  importImage(archive: string): Promise<void>
  /** Runs a program of the host inside the node: its network, its mounts, its processes. */
  run(command: readonly string[]): Promise<string>
}

export interface NodeSettings {
  readonly ledger: Ledger
  readonly cluster: ClusterPlan
  readonly plan: NodePlan
  readonly controlPlane: ControlPlane
  readonly assets: string
  /** Where nodes keep what is too large for /run. */
  readonly disk: string
}

const checkout = join(import.meta.dirname, '..', '..', '..', '..')

export async function startNode(settings: NodeSettings): Promise<Node> {
  const { ledger, plan } = settings
  const files = join(settings.disk, plan.name)
  mkdirSync(files, { mode: 0o700 })
  ledger.record({ kind: 'cgroup', path: plan.cgroup })
  makeCgroup(plan.cgroup)
  await writeFiles(settings, files)

  let machine = await boot(settings, files)
  const enter = (): string[] => ['nsenter', `--target=${machine.init.pid}`, '--net', '--mount', '--uts', '--pid', '--']
  const setLinks = async (state: 'up' | 'down'): Promise<void> => {
    for (const name of ['eth0', 'vlan0']) await run('ip', ['-n', plan.namespace, 'link', 'set', name, state])
    // The kernel forgets routes over an interface that goes down.
    if (state === 'up') await restoreRoutes(settings)
  }
  return {
    plan,
    logs: join(files, '*.log'),
    async powerOff() {
      await endProcess(machine.init, 0)
      await run('ip', ['-n', plan.namespace, 'link', 'set', 'vlan0', 'down'])
    },
    async powerOn() {
      await run('ip', ['-n', plan.namespace, 'link', 'set', 'vlan0', 'up'])
      machine = await boot(settings, files)
    },
    unplug: () => setLinks('down'),
    plug: () => setLinks('up'),
    async importImage(archive) {
      // Opened here: the node has its own view of the files.
      const script = 'exec "$@" < "$0"'
      const ctr = ['/run/bin/ctr', '--namespace', 'k8s.io', 'images', 'import', '--no-unpack=false', '-']
      await run('/bin/sh', ['-c', script, archive, ...enter(), ...ctr])
    },
    run: (command) => {
      const [program = '', ...args] = [...enter(), ...command]
      return run(program, args)
    },
  }
}

/** The node's first process. When it is gone, so are all others: the kernel lets it go last. */
interface Machine {
  readonly init: ProcessIdentity
}

async function boot({ ledger, plan, assets, disk }: NodeSettings, files: string): Promise<Machine> {
  const isolated = [
    '--mount',
    '--propagation',
    'slave',
    '--uts',
    '--pid',
    '--fork',
    '--kill-child=KILL',
    '--mount-proc',
  ]
  const init = join(import.meta.dirname, 'init.sh')
  const up = Promise.withResolvers<void>()
  const running = startProcess(ledger, {
    what: plan.name,
    command: inNamespace(plan.namespace, [
      ...['unshare', ...isolated, '--', '/bin/bash', init],
      ...[plan.name, files, join(disk, 'volumes'), checkout, assets],
    ]),
    logFile: join(files, 'init.log'),
    onLine: (line) => line === 'node is up' && up.resolve(),
    graceMs: 0,
  })
  const ended = running.ended.then((why) => {
    throw new Error(`${plan.name} ended (${why}): ${running.tail().join(' | ')}`)
  })
  ended.catch(() => {})
  await Promise.race([up.promise, ended])
  return { init: await firstChild(running.pid) }
}

async function firstChild(pid: number): Promise<ProcessIdentity> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
    const identity = identify(Number(child))
    if (identity) return identity
    await sleep(10)
  }
  throw new Error(`process ${pid} has no child`)
}

async function writeFiles({ cluster, plan, controlPlane }: NodeSettings, files: string): Promise<void> {
  const write = (name: string, text: string): void => writeFileSync(join(files, name), text, { mode: 0o600 })
  for (const directory of ['cni', 'cni-bin']) mkdirSync(join(files, directory))
  write('address', plan.address)
  write('ca.crt', controlPlane.ca)
  write('containerd.toml', containerdToml())
  write('kubelet.json', JSON.stringify(kubeletConfiguration(plan)))
  write('resolv.conf', resolvConf(cluster))
  write('cni/10-pods.conflist', JSON.stringify(podNetwork(plan)))
  write('cni-bin/oooi-networks', networksPlugin())
  chmodSync(join(files, 'cni-bin/oooi-networks'), 0o755)
  const [kubelet, proxy, networks] = await Promise.all([
    controlPlane.kubeconfig(`system:node:${plan.name}`, ['system:nodes']),
    controlPlane.kubeconfig('system:kube-proxy'),
    controlPlane.kubeconfig('lab:networks'),
  ])
  write('kubelet.kubeconfig', kubelet)
  write('kube-proxy.kubeconfig', proxy)
  write('networks.kubeconfig', networks)
}

async function restoreRoutes({ cluster, plan }: NodeSettings): Promise<void> {
  const ip = (...args: string[]): Promise<string> => run('ip', ['-n', plan.namespace, 'route', 'replace', ...args])
  await ip('default', 'via', cluster.lab.pods.gateway)
  for (const other of cluster.nodes) {
    if (other.name !== plan.name) await ip(other.podCidr, 'via', other.address)
  }
}
