import type { VmPlan } from './plan.ts'
import type { Step } from './vm/steps.ts'

/** What a lab tells while it runs; whoever shows it decides how. */
export type LabEvent =
  | { readonly type: 'begun'; readonly what: string }
  | { readonly type: 'done'; readonly what: string; readonly text: string }
  /** Of the lab, or of the machine it names. */
  | { readonly type: 'note'; readonly what?: string; readonly text: string }
  | { readonly type: 'step'; readonly vm: VmPlan; readonly step: Step }

export type OnLabEvent = (event: LabEvent) => void

export interface VmReport {
  readonly name: string
  readonly client: string
  readonly ok: boolean
  readonly steps: readonly Step[]
  /** The last lines of its console, for when something went wrong. */
  readonly console: readonly string[]
}
