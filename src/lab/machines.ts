import type { OnLabEvent, VmReport } from './events.ts'
import { run } from './host/command.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { BootServer } from './netboot/bootserver.ts'
import { orStopped } from './owned.ts'
import { hasOwnKernel, type LabPlan, namespaceOf, type VmPlan } from './plan.ts'
import { addTap, type QemuImage, startPxeVm, startQemuVm } from './qemu/qemuvm.ts'
import { startNamespaceVm } from './vm/namespacevm.ts'
import { finalStep, lookSteps, type Step } from './vm/steps.ts'
import type { Vm, VmListener } from './vm/vm.ts'

/** For a few machines; many share the processors. */
const bootWithinMs = { namespace: 90_000, qemu: 180_000 } as const
const finalWithinMs = 20_000
const fewMachines = 20
const lookWithinMs = 15_000

export interface MachineSettings {
  readonly ledger: Ledger
  readonly plan: LabPlan
  /** Undefined when there is no QEMU machine after all. */
  readonly image: Promise<QemuImage | undefined>
  /** Where machines boot from that have no kernel; undefined when there is none. */
  readonly bootServer?: Promise<BootServer | undefined>
  readonly onEvent: OnLabEvent
  readonly stop: AbortSignal
}

/** The machines on the VLAN: switched on and off by name, and asked what works. */
export class Machines {
  readonly #settings: MachineSettings
  readonly #running = new Map<string, Vm>()
  readonly #taps = new Set<string>()

  constructor(settings: MachineSettings) {
    this.#settings = settings
  }

  /** All machines at once, each at its own pace; when all are up, each is asked whether its stream has lasted. */
  async bootAll(): Promise<VmReport[]> {
    const { plan, stop } = this.#settings
    const booted = await orStopped(Promise.all(plan.vms.map((vm) => this.boot(vm.name))), stop)
    const machines = booted.filter((machine) => machine !== undefined)
    await orStopped(
      Promise.all(machines.map((machine) => machine.repeat(finalStep, this.#patient(finalWithinMs)))),
      stop,
    )
    return machines.map(reportOf)
  }

  /** Switches a machine on and waits until it has tried all its steps; undefined if it cannot be had. */
  async boot(name: string, onStep: (step: Step) => void = () => {}): Promise<Vm | undefined> {
    const { onEvent } = this.#settings
    const vm = this.#planOf(name)
    const machine = await this.#start(vm, {
      onStep: (step) => {
        onEvent({ type: 'step', vm, step })
        onStep(step)
      },
      onFirmware: (text) => onEvent({ type: 'note', what: vm.name, text }),
    })
    if (!machine) return undefined
    this.#running.set(name, machine)
    onEvent({ type: 'begun', what: name })
    const startedMs = performance.now()
    await machine.boot(this.#patient(hasOwnKernel(vm) ? bootWithinMs.qemu : bootWithinMs.namespace))
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    const booted = machine.steps.every((step) => step.ok)
    onEvent({ type: 'done', what: name, text: booted ? `booted in ${seconds} s` : `did not boot (${seconds} s)` })
    return machine
  }

  async restart(name: string): Promise<void> {
    await this.powerOff(name)
    await this.boot(name)
  }

  async powerOff(name: string): Promise<void> {
    const { plan, onEvent } = this.#settings
    await this.#running.get(name)?.powerOff()
    this.#running.delete(name)
    // The interface outlives the machine; a new one must find it as a fresh card.
    if (!hasOwnKernel(this.#planOf(name))) {
      const lines = 'link set eth0 down\naddress flush dev eth0\n'
      await run('ip', ['-n', namespaceOf(plan, name), '-batch', '-'], { input: lines })
    }
    onEvent({ type: 'note', text: `${name} is switched off` })
  }

  /** What works for each machine that is on, without changing anything of it. */
  look(): Promise<VmReport[]> {
    const ask = async (machine: Vm): Promise<VmReport> => {
      if (!machine.isUp) return { ...reportOf(machine), steps: machine.steps.filter(({ ok }) => !ok).slice(0, 1) }
      const steps: Step[] = []
      for (const name of lookSteps) steps.push(await machine.look(name, lookWithinMs))
      return { ...reportOf(machine), ok: steps.every((step) => step.ok), steps }
    }
    const { plan, stop } = this.#settings
    const on = plan.vms.map(({ name }) => this.#running.get(name)).filter((machine) => machine !== undefined)
    return orStopped(Promise.all(on.map(ask)), stop)
  }

  /** The first process of a namespace machine, whose namespaces are the machine's. */
  initPid(name: string): number | undefined {
    return this.#running.get(name)?.initPid()
  }

  #patient(withinMs: number): number {
    return withinMs * Math.max(1, this.#settings.plan.vms.length / fewMachines)
  }

  #planOf(name: string): VmPlan {
    const found = this.#settings.plan.vms.find((vm) => vm.name === name)
    if (!found) throw new Error(`the lab has no VM ${name}`)
    return found
  }

  async #start(vm: VmPlan, listener: VmListener): Promise<Vm | undefined> {
    const { ledger, plan, image, bootServer } = this.#settings
    if (!hasOwnKernel(vm)) return startNamespaceVm(ledger, plan, vm, listener)
    const [made, server] = await Promise.all([image, bootServer])
    if (!made) return undefined
    if (!this.#taps.has(vm.name)) await addTap(ledger, namespaceOf(plan, 'vlan'), vm.name)
    this.#taps.add(vm.name)
    if (vm.client === 'qemu') return startQemuVm(ledger, plan, vm, made, listener)
    return server && startPxeVm(ledger, plan, vm, server, listener)
  }
}

function reportOf(machine: Vm): VmReport {
  const { name, client } = machine.plan
  const { steps, console } = machine
  return { name, client, ok: steps.every((step) => step.ok), steps, console }
}
