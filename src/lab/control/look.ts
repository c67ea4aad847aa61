import { setTimeout as sleep } from 'node:timers/promises'
import type { VmReport } from '../events.ts'
import { run } from '../host/command.ts'
import type { Machines } from '../machines.ts'
import { inNamespace } from '../network/build.ts'
import type { LabPlan } from '../plan.ts'
import type { Step } from '../vm/steps.ts'

/** What oooi says of itself, in the words of whoever runs it. */
export interface Said {
  readonly ready: boolean
  /** Something is wrong, be it only with what oooi leads to. */
  readonly troubled: boolean
  /** Lines for people, without an end of line. */
  readonly lines: readonly string[]
}

/** What works in the lab at this moment, and what oooi says to it. */
export interface Look {
  readonly ok: boolean
  readonly vms: readonly VmReport[]
  readonly status: Said
  /** What was broken and is not mended yet, such as `dns` or `vm worker-1`. */
  readonly broken: readonly string[]
}

/** The other side of the proxy, as pods of the management cluster reach it. */
export interface PodSide {
  /** The network namespace of somebody there. */
  readonly namespace: string
  readonly address: () => Promise<string>
}

export interface LookSettings {
  readonly plan: LabPlan
  readonly machines: Machines
  /** The CA of the hosted cluster. */
  readonly caFile: string
  readonly podSide: PodSide
  readonly status: () => Promise<Said>
  readonly broken: () => readonly string[]
}

export async function look(settings: LookSettings): Promise<Look> {
  const [vms, pod] = await Promise.all([settings.machines.look(), lookFromPods(settings)])
  return lookOf([...vms, pod], await settings.status(), settings)
}

function lookOf(vms: readonly VmReport[], status: Said, { broken }: LookSettings): Look {
  return { ok: status.ready && vms.every((vm) => vm.ok), vms, status, broken: broken() }
}

const statusPolls = 6
const pollMs = 500

/**
 * Looks until it is as it should be or the patience ends, and gives the last look. What oooi says often follows what
 * machines see by itself, so they are not asked again each time.
 */
export async function lookUntil(
  settings: LookSettings,
  wanted: (look: Look) => boolean,
  withinMs: number,
): Promise<Look> {
  const deadlineMs = performance.now() + withinMs
  for (;;) {
    let seen = await look(settings)
    for (let poll = 0; poll < statusPolls; poll++) {
      if (wanted(seen) || performance.now() > deadlineMs) return seen
      await sleep(pollMs)
      seen = lookOf(seen.vms, await settings.status(), settings)
    }
  }
}

async function lookFromPods({ plan, caFile, podSide }: LookSettings): Promise<VmReport> {
  const address = await podSide.address()
  const ask = async (name: string, host: string, port: number, path: string): Promise<Step> => {
    const startedMs = performance.now()
    const curl = ['curl', '-sS', '--fail', '--max-time', '3', '--cacert', caFile, '-o', '/dev/null']
    const where = ['--resolve', `${host}:${port}:${address}`, `https://${host}:${port}${path}`]
    const [command = '', ...args] = inNamespace(podSide.namespace, [...curl, ...where])
    const error = await run(command, args).then(
      () => undefined,
      (reason: Error) => reason.message.slice(reason.message.lastIndexOf('curl: ')),
    )
    const ms = Math.round(performance.now() - startedMs)
    return { name, ok: error === undefined, ms, text: error ?? `https://${host}:${port}${path}` }
  }
  const steps = await Promise.all([
    ask('api', `api.${plan.domain}`, 6443, '/version'),
    ask('apps', `console.apps.${plan.domain}`, 443, '/'),
  ])
  return { name: 'a pod', client: '-', ok: steps.every((step) => step.ok), steps, console: [] }
}
