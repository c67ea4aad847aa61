import { Refusal } from '../control/refusal.ts'
import { findTool } from '../host/tools.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Machines } from '../machines.ts'
import { type LabPlan, namespaceOf } from '../plan.ts'
import type { Step } from '../vm/steps.ts'
import { startCapture } from './capture.ts'
import { describeFrame, type Packet } from './packets.ts'

/** A moment of a boot: a packet at the machine's port of the VLAN, or a step it has finished. */
export type TraceEntry = { readonly ms: number } & (
  | ({ readonly type: 'packet' } & Packet)
  | ({ readonly type: 'step' } & Pick<Step, 'name' | 'ok' | 'text'>)
)

export interface TraceDocument {
  readonly vm: string
  readonly ok: boolean
  readonly entries: readonly TraceEntry[]
}

/** Boots the machine again and tells what went over its cable, beside the steps it took. */
export async function traceBoot(
  ledger: Ledger,
  plan: LabPlan,
  machines: Machines,
  name: string,
): Promise<TraceDocument> {
  if (!findTool('perl')) throw new Refusal('what captures packets is a script for perl, which is not installed')
  const mac = plan.vms.find((vm) => vm.name === name)?.mac ?? ''
  await machines.powerOff(name)
  ledger.mustBeOpen()
  const steps: { readonly epochMs: number; readonly step: Step }[] = []
  const capture = await startCapture(namespaceOf(plan, 'vlan'), name)
  const startedMs = Date.now()
  let ok: boolean
  try {
    const machine = await machines.boot(name, (step) => steps.push({ epochMs: Date.now(), step }))
    ok = machine?.steps.every((step) => step.ok) ?? false
  } finally {
    await capture.stop()
  }
  const packets = capture.frames().flatMap(({ epochMs, bytes }) => {
    const packet = describeFrame(bytes, mac)
    return packet ? [{ epochMs, entry: { type: 'packet' as const, ...packet } }] : []
  })
  const told = steps.map(({ epochMs, step }) => ({
    epochMs,
    entry: { type: 'step' as const, name: step.name, ok: step.ok, text: step.text },
  }))
  const entries = [...packets, ...told]
    .toSorted((a, b) => a.epochMs - b.epochMs)
    .map(({ epochMs, entry }): TraceEntry => ({ ms: Math.round(epochMs - startedMs), ...entry }))
  return { vm: name, ok, entries }
}
