import { join } from 'node:path'
import { LabControl } from './control/control.ts'
import { standaloneFaults } from './control/faults.ts'
import { serveControl } from './control/server.ts'
import { standaloneStatus } from './control/status.ts'
import { caFile } from './controlplane/certificates.ts'
import { certificateDirectory, makeLabCertificates, startControlPlane } from './controlplane/start.ts'
import type { VmReport } from './events.ts'
import { isOwnRoot, ordinaryUser } from './host/userns.ts'
import type { Ledger } from './ledger/ledger.ts'
import { Machines } from './machines.ts'
import { startBootServer } from './netboot/bootserver.ts'
import { buildNetwork } from './network/build.ts'
import { labTopology } from './network/topology.ts'
import { type Oooi, startOooi } from './oooi.ts'
import { type OwnedOptions, phases, withLedger } from './owned.ts'
import { type LabPlan, namespaceOf, planLab, type VmCounts, wantsQemu } from './plan.ts'
import { whyNoQemu } from './qemu/image.ts'
import { prepareQemu } from './qemu/prepare.ts'
import type { QemuImage } from './qemu/qemuvm.ts'

export interface LabOptions extends OwnedOptions, VmCounts {}

/** The network, the control plane and oooi are up; machines can boot. */
export interface Lab {
  readonly plan: LabPlan
  readonly directory: string
  readonly oooi: Oooi
  readonly machines: Machines
  readonly control: LabControl
  /** Boots every machine and reports, once all have finished trying. */
  bootAll(): Promise<VmReport[]>
}

const checkout = join(import.meta.dirname, '..', '..')

/** Builds a lab, lets `use` work with it, and takes everything away again however that ends. */
export async function withLab<Value>(options: LabOptions, use: (lab: Lab) => Promise<Value>): Promise<Value> {
  const { onEvent } = options
  let oooi: Oooi | undefined
  try {
    return await withLedger(options, async (ledger, over) => {
      const obstacle = whyNoQemu()
      const image = wantsQemu(options) ? prepareQemu(obstacle, onEvent, over) : Promise.resolve(undefined)
      const possible = obstacle === undefined ? options : { ...options, qemuVms: 0, pxeVms: 0 }
      const lab = await start(ledger, possible, image)
      oooi = lab.oooi
      void oooi.ended.then((why) => {
        if (over.aborted) return
        onEvent({ type: 'note', text: `oooi has ended (${why}): its log is ${join(ledger.directory, 'oooi.log')}` })
      })
      return serveControl({ ledger, ...lab }, () => use(lab))
    })
  } finally {
    const end = await oooi?.ended
    if (end && end !== 'exit code 0') onEvent({ type: 'note', text: `oooi did not end well: ${end}` })
  }
}

async function start(ledger: Ledger, options: LabOptions, image: Promise<QemuImage | undefined>): Promise<Lab> {
  const { onEvent, stop } = options
  const plan = planLab(ledger.id, options)
  const phase = phases(options)
  await phase(
    'network',
    Promise.all([buildNetwork(ledger, labTopology(plan)), makeLabCertificates(ledger, plan)]),
    () => `${plan.id}: VLAN ${plan.vlan.cidr}, pod network ${plan.pods.cidr}`,
  )
  const controlPlane = await phase(
    'control plane',
    startControlPlane(ledger, plan),
    () => `api, oauth, ignition, konnectivity of ${plan.domain}; apps VIP ${plan.vlan.apps}`,
  )
  const asWhom = isOwnRoot() ? 'without capabilities' : `as user ${ordinaryUser}`
  const oooi = await phase(
    'oooi',
    startOooi(ledger, plan, checkout, stop),
    ({ infraFile }) => `serves DHCP, DNS and proxy of ${infraFile} ${asWhom}`,
  )
  const bootServer = image.then((made) => made && plan.boot && startBootServer(ledger, plan.boot, made))
  bootServer.catch(() => {})
  const machines = new Machines({ ledger, plan, image, bootServer, onEvent, stop })
  const control = new LabControl({
    plan,
    machines,
    caFile: join(certificateDirectory(ledger), caFile),
    podSide: { namespace: namespaceOf(plan, 'control'), address: async () => plan.pods.oooi },
    status: () => standaloneStatus(oooi.stateDir),
    faults: (vm) => standaloneFaults({ plan, controlPlane, machines, bootServer }, vm),
    onEvent,
  })
  return {
    plan,
    directory: ledger.directory,
    oooi,
    machines,
    control,
    bootAll: () => control.inTurn(() => machines.bootAll()),
  }
}
