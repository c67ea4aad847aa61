import type { VmPlan } from '../plan.ts'

/** One step of a machine's boot, as it told it on its console. */
export interface Step {
  readonly name: string
  readonly ok: boolean
  readonly ms: number
  /** What was found, or what is wrong. */
  readonly text: string
}

/** Of a machine that boots from the network, before all others: its firmware has an address, and fetched a kernel. */
export const firmwareStep = 'pxe'

/** In the order a node takes them. The first is done by every machine; without an address the others are not tried. */
export const bootSteps = [
  'dhcp',
  'hostname',
  'resolver',
  'ignition',
  'api',
  'api-no-sni',
  'oauth',
  'konnectivity',
  'apps',
  'isolation',
] as const

export function bootStepsOf({ client }: Pick<VmPlan, 'client'>): readonly string[] {
  return client === 'pxe' ? [firmwareStep, ...bootSteps] : bootSteps
}

/** Done when all machines have booted: the stream of the konnectivity step must still be the same one. */
export const finalStep = 'konnectivity-held'

/** What can be asked of a machine at any time without changing it: does DHCP answer, and what a node needs after that. */
export const lookSteps = [
  'lease',
  'resolver',
  'ignition',
  'api',
  'api-no-sni',
  'oauth',
  'konnectivity-held',
  'apps',
] as const

export type ConsoleLine = { readonly type: 'step'; readonly step: Step } | { readonly type: 'booted' }

const stepLine = /OOOI STEP ([a-z0-9-]+) (ok|fail) (\d+) ?(.*)$/

/** What a console line tells; undefined for a line that is not for us. A kernel message may stand before ours. */
export function parseConsoleLine(raw: string): ConsoleLine | undefined {
  const line = raw.trimEnd()
  if (/OOOI BOOTED$/.test(line)) return { type: 'booted' }
  const [, name, verdict, ms, text] = stepLine.exec(line) ?? []
  if (name === undefined) return undefined
  return { type: 'step', step: { name, ok: verdict === 'ok', ms: Number(ms), text: text ?? '' } }
}
