import type { VmReport } from '../../../src/lab/events.ts'
import { withLab } from '../../../src/lab/lab.ts'
import { whyNoQemu } from '../../../src/lab/qemu/image.ts'
import type { Bench, Suite, SuiteResult } from '../bench.ts'
import { ownVersion } from '../peers/version.ts'
import { median, percentile, type Sample } from '../samples.ts'
import { measureFleet } from './fleet.ts'

const sizes = [1, 200]
const infraCounts = [1, 10, 50]

const method = `\`oooi lab\` from its start to the moment in which all namespace VMs have done every step, clean-up not counted; VMs and
servers share the machine's cores, so with many of them it is the machine that is measured. The share that is lost is the VMs that
did not boot. Below: when the first VM had booted, and how long the steps of a single VM took (median and 99th
percentile). Then a VM in QEMU, without KVM, that boots by options 66 and 67. Then one \`oooi up\` with a directory of Infras that nobody uses, run from sources: its memory, and its share
of a core when it has settled.`

export const labSuite: Suite = {
  name: 'lab',
  about: 'the lab: the first booted VM, 200 VMs at once; oooi up with 1, 10 and 50 Infras',
  async run(bench: Bench): Promise<SuiteResult> {
    const measures: SuiteResult['measures'][number][] = []
    const remarks: string[] = []
    for (const size of sizes) {
      const rounds = size > 1 ? 1 : Math.min(bench.pace.rounds, 3)
      const boots: Boot[] = []
      for (let round = 0; round < rounds; round++) boots.push(await boot(size))
      const remark = `${size} VMs: ${describeBoots(boots)}`
      bench.say(remark)
      remarks.push(remark)
      const samples = boots.map(({ sample }) => sample)
      measures.push({ name: `boot of ${size}`, unit: 'VMs', contenders: [{ name: 'oooi', samples }] })
    }
    if (whyNoQemu() === undefined) {
      const remark = `network boot: ${await describeNetworkBoot()}`
      bench.say(remark)
      remarks.push(remark)
    }
    for (const count of infraCounts) {
      const { mebibytes, cores } = await measureFleet(bench, count)
      const remark = `${count} Infras: ${Math.round(mebibytes)} MiB, ${(cores * 100).toFixed(1)} % of a core when idle`
      bench.say(remark)
      remarks.push(remark)
    }
    return {
      method: `${method}\n\n${remarks.map((line) => `- ${line}`).join('\n')}`,
      contenders: [{ name: 'oooi', version: await ownVersion() }],
      leftOut: [],
      measures,
    }
  },
}

interface Boot {
  readonly sample: Sample
  readonly firstSeconds: number
  readonly vmSeconds: readonly number[]
}

async function boot(vms: number): Promise<Boot> {
  const startedMs = performance.now()
  const since = (): number => (performance.now() - startedMs) / 1000
  let firstSeconds = Number.NaN
  const options = {
    namespaceVms: vms,
    qemuVms: 0,
    stop: new AbortController().signal,
    onEvent: (event: { readonly type: string; readonly text?: string }) => {
      if (event.type === 'done' && event.text?.startsWith('booted') && Number.isNaN(firstSeconds))
        firstSeconds = since()
    },
  }
  return withLab(options, async (lab) => {
    const reports = await lab.bootAll()
    const seconds = since()
    return {
      firstSeconds,
      vmSeconds: reports.map(secondsOf),
      sample: {
        perSecond: vms / seconds,
        lostShare: reports.filter((report) => !report.ok).length / vms,
        // Everything here is ours to start; strangers cannot be told apart.
        foreignCores: 0,
      },
    }
  })
}

/** One machine without KVM whose firmware is iPXE: for information, most of it is the firmware's own waiting. */
async function describeNetworkBoot(): Promise<string> {
  const stop = new AbortController().signal
  const options = { namespaceVms: 1, qemuVms: 0, pxeVms: 1, stop, onEvent: () => undefined }
  const reports = await withLab(options, (lab) => lab.bootAll())
  const report = reports.find(({ client }) => client === 'pxe')
  if (!report?.ok) return 'it did not boot'
  const firmware = (report.steps[0]?.ms ?? 0) / 1000
  return `a kernel runs ${firmware.toFixed(1)} s after the VM is switched on, all steps took ${secondsOf(report).toFixed(1)} s`
}

function secondsOf({ steps }: VmReport): number {
  return steps.reduce((sum, step) => sum + step.ms, 0) / 1000
}

function describeBoots(boots: readonly Boot[]): string {
  const all = boots.flatMap(({ vmSeconds }) => vmSeconds)
  const at = (share: number): string => percentile(all, share).toFixed(1)
  const first = median(boots.map(({ firstSeconds }) => firstSeconds)).toFixed(1)
  return `first booted after ${first} s; a VM's steps p50 ${at(0.5)} s, p99 ${at(0.99)} s`
}
