import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../control/refusal.ts'
import { diesWithUs, toolPath } from '../host/command.ts'
import { findTool } from '../host/tools.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Machines } from '../machines.ts'
import { inNamespace } from '../network/build.ts'
import { type LabPlan, namespaceOf } from '../plan.ts'
import type { Step } from '../vm/steps.ts'
import { describeFrame, type Packet } from './packets.ts'
import { readPcap } from './pcap.ts'

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
  const packets = readPcap(capture.file()).flatMap(({ epochMs, bytes }) => {
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

async function startCapture(namespace: string, device: string) {
  const capture = ['perl', join(import.meta.dirname, 'capture.pl'), device]
  const [program, ...args] = [...diesWithUs, ...inNamespace(namespace, capture)]
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: toolPath },
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const listening = Promise.withResolvers<void>()
  child.stderr.setEncoding('utf8').on('data', (text: string) => text.includes('listening on') && listening.resolve())
  const ended = once(child, 'close')
  await Promise.race([listening.promise, ended])
  return {
    file: () => Buffer.concat(chunks),
    stop: async (): Promise<void> => {
      // The last packets are on their way from the kernel.
      await sleep(100)
      child.kill()
      await ended
    },
  }
}
