import type { OnLabEvent, VmReport } from './events.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { LabPlan, VmPlan } from './plan.ts'
import { qemuImage } from './qemu/image.ts'
import { type QemuImage, startQemuVm } from './qemu/qemuvm.ts'
import { startNamespaceVm } from './vm/namespacevm.ts'
import { finalStep, type Step } from './vm/steps.ts'
import type { Vm } from './vm/vm.ts'

const bootWithinMs = { namespace: 90_000, qemu: 180_000 } as const
const finalWithinMs = 20_000

/** All machines at once, each at its own pace; when all are up, each is asked whether its stream has lasted. */
export async function bootMachines(
  ledger: Ledger,
  plan: LabPlan,
  image: Promise<QemuImage | undefined>,
  onEvent: OnLabEvent,
  stop: AbortSignal,
): Promise<VmReport[]> {
  const boot = async (vm: VmPlan): Promise<Vm | undefined> => {
    const onStep = (step: Step): void => onEvent({ type: 'step', vm, step })
    const machine = await startVm(ledger, plan, vm, image, onStep)
    if (!machine) return undefined
    onEvent({ type: 'begun', what: vm.name })
    const startedMs = performance.now()
    await machine.boot(vm.client === 'qemu' ? bootWithinMs.qemu : bootWithinMs.namespace)
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    const booted = machine.steps.every((step) => step.ok)
    onEvent({ type: 'done', what: vm.name, text: booted ? `booted in ${seconds} s` : `did not boot (${seconds} s)` })
    return machine
  }
  const machines = (await orStopped(Promise.all(plan.vms.map(boot)), stop)).filter((machine) => machine !== undefined)
  await orStopped(Promise.all(machines.map((machine) => machine.repeat(finalStep, finalWithinMs))), stop)
  return machines.map(reportOf)
}

async function startVm(
  ledger: Ledger,
  plan: LabPlan,
  vm: VmPlan,
  image: Promise<QemuImage | undefined>,
  onStep: (step: Step) => void,
): Promise<Vm | undefined> {
  if (vm.client !== 'qemu') return startNamespaceVm(ledger, plan, vm, onStep)
  const made = await image
  return made && startQemuVm(ledger, plan, vm, made, onStep)
}

/** Kernel and initramfs are got while the rest is built. Without them the lab goes on, and says so. */
export async function prepareQemu(
  obstacle: string | undefined,
  onEvent: OnLabEvent,
  stop: AbortSignal,
): Promise<QemuImage | undefined> {
  const skip = (why: string): void => onEvent({ type: 'note', text: `no QEMU VM: ${why}` })
  if (obstacle !== undefined) {
    skip(obstacle)
    return undefined
  }
  const what = 'kernel for the QEMU VM'
  let fetched: string | undefined
  const fetching = (name: string): void => {
    fetched = name
    onEvent({ type: 'begun', what })
  }
  try {
    const image = await qemuImage(fetching, stop)
    if (fetched) onEvent({ type: 'done', what, text: `${fetched} fetched; the next run has it` })
    return image
  } catch (error) {
    if (!stop.aborted) skip(error instanceof Error ? error.message : String(error))
    return undefined
  }
}

function reportOf(machine: Vm): VmReport {
  const { name, client } = machine.plan
  const { steps, console } = machine
  return { name, client, ok: steps.every((step) => step.ok), steps, console }
}

/** The work's outcome, or the reason of the stop as soon as there is one; the work itself goes on unheard. */
export function orStopped<Value>(work: Promise<Value>, stop: AbortSignal): Promise<Value> {
  work.catch(() => {})
  const stopped = Promise.withResolvers<never>()
  const reject = (): void => stopped.reject(stop.reason)
  if (stop.aborted) reject()
  stop.addEventListener('abort', reject, { once: true })
  return Promise.race([work, stopped.promise]).finally(() => stop.removeEventListener('abort', reject))
}
