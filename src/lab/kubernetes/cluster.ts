import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type HostedControlPlane,
  makeLabCertificates,
  startControlPlane as startHostedControlPlane,
} from '../controlplane/start.ts'
import type { VmReport } from '../events.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { Machines } from '../machines.ts'
import { type OwnedOptions, orStopped, phases, withLedger } from '../owned.ts'
import { namespaceOf, planLab } from '../plan.ts'
import { whyNoQemu } from '../qemu/image.ts'
import { prepareQemu } from '../qemu/prepare.ts'
import type { Access } from './access/access.ts'
import { applyManifests, type ClusterActions, clusterActions } from './actions.ts'
import type { Assets } from './assets.ts'
import { type ControlPlane, startControlPlane } from './controlplane/controlplane.ts'
import { images, makeImages } from './images.ts'
import { makeNetwork } from './network.ts'
import { type Node, startNode } from './node/node.ts'
import { initialObjects } from './objects.ts'
import { type ClusterPlan, type NodeCount, planCluster } from './plan.ts'
import { untilContainerd, untilReady } from './readiness.ts'
import { startProvisioner } from './volumes/provisioner.ts'

export interface ClusterShape {
  readonly nodes: NodeCount
  /** Places for machines on the VLAN, which `bootMachines` boots; none by default. */
  readonly namespaceVms?: number
  /** One of them with a kernel of its own, where QEMU is installed. */
  readonly qemu?: boolean
}

export interface ClusterOptions extends ClusterShape, OwnedOptions {
  readonly assets: Assets
}

/** A running Kubernetes: its nodes are Ready and have the images. */
export interface Cluster extends Access, ClusterActions {
  readonly plan: ClusterPlan
  /** Records whatever else is made for this cluster. */
  readonly ledger: Ledger
  /** The administrator's, for kubectl on this machine. */
  readonly kubeconfigPath: string
  readonly kubectlPath: string
  /** What the nodes can run without pulling. */
  readonly images: typeof images
  readonly nodes: readonly Node[]
  readonly controlPlane: ControlPlane
  /** The servers of a hosted control plane on the pod network and the apps VIP on the VLAN, as in the lab without Kubernetes. */
  startHostedControlPlane(): Promise<HostedControlPlane>
  /** A real API server for the hosted cluster, beside those servers; its certificate is for these names. */
  startHostedApi(names: readonly string[]): Promise<HostedApi>
  /** On the VLAN. */
  readonly machines: Machines
  /** Boots them, through whatever serves the VLAN, and reports. */
  bootMachines(): Promise<VmReport[]>
}

/** The API of a hosted cluster: a real one, without nodes. */
export interface HostedApi extends ControlPlane {
  readonly address: string
  readonly port: number
}

/** Where the nodes' disks are: /run is often small, and nothing may be executed there. */
export const diskRoot = '/var/lib/oooi-lab'

/** Builds a cluster, lets `use` work with it, and takes everything away again however that ends. */
export async function withCluster<Value>(
  options: ClusterOptions,
  use: (cluster: Cluster) => Promise<Value>,
): Promise<Value> {
  return withLedger(options, async (ledger, over) => use(await orStopped(start(ledger, options, over), options.stop)))
}

async function start(ledger: Ledger, options: ClusterOptions, stop: AbortSignal): Promise<Cluster> {
  const { onEvent } = options
  const phase = phases({ onEvent, stop })
  const obstacle = options.qemu ? whyNoQemu() : 'not asked for'
  const image = options.qemu ? prepareQemu(obstacle, onEvent, stop) : Promise.resolve(undefined)
  const plan = planCluster(
    planLab(ledger.id, { namespaceVms: options.namespaceVms ?? 0, qemuVms: obstacle === undefined ? 1 : 0 }),
    options.nodes,
  )
  const disk = join(diskRoot, ledger.id)
  ledger.record({ kind: 'directory', path: disk })
  mkdirSync(join(disk, 'volumes'), { recursive: true, mode: 0o755 })
  const archives = makeImages(disk)
  archives.catch(() => {})

  const { lab } = plan
  await phase('network', makeNetwork(ledger, plan), () => `${lab.id}: VLAN ${lab.vlan.cidr}, machines ${lab.pods.cidr}`)
  const controlPlane = await phase(
    'control plane',
    startControlPlane(ledger, plan, options.assets),
    ({ access }) => `etcd, API server, controller manager, scheduler; ${access.url}`,
  )
  const { access } = controlPlane
  const common = { ledger, cluster: plan, controlPlane, assets: options.assets.node, disk }
  const bootNode = async (node: ClusterPlan['nodes'][number]): Promise<Node> => {
    const booted = await startNode({ ...common, plan: node })
    await untilContainerd(booted, stop)
    for (const archive of await archives) await booted.importImage(archive)
    return booted
  }
  const [nodes] = await phase(
    'machines',
    Promise.all([Promise.all(plan.nodes.map(bootNode)), applyManifests(access, initialObjects)]),
    () => 'containerd, kubelet, kube-proxy and the images on each',
  )
  await phase('nodes', untilReady(access, nodes, stop), () => `${nodes.map((node) => node.plan.name).join(', ')} Ready`)
  startProvisioner(access, join(disk, 'volumes'), stop)
  const kubeconfigPath = join(ledger.directory, 'kubeconfig')
  writeFileSync(kubeconfigPath, access.admin.kubeconfig, { mode: 0o600 })
  return {
    ...access,
    plan,
    ledger,
    kubeconfigPath,
    kubectlPath: join(options.assets.controlPlane, 'kubectl'),
    images,
    nodes,
    controlPlane,
    ...clusterActions(access, nodes, disk),
    ...inhabitants(),
  }

  function inhabitants(): Pick<Cluster, 'startHostedControlPlane' | 'startHostedApi' | 'machines' | 'bootMachines'> {
    const machines = new Machines({ ledger, plan: lab, image, onEvent, stop })
    return {
      machines,
      startHostedControlPlane: async () => {
        await makeLabCertificates(ledger, lab)
        return startHostedControlPlane(ledger, lab)
      },
      startHostedApi: async (names) => {
        const place = { address: lab.pods.api, port: 16_443 }
        const hosted = { ...plan, controlPlane: { ...place, namespace: namespaceOf(lab, 'control') } }
        const started = await startControlPlane(ledger, hosted, options.assets, { folder: 'hosted', names, bare: true })
        return { ...started, ...place }
      },
      bootMachines: () => machines.bootAll(),
    }
  }
}
