import type { VmReport } from '../../lab/events.ts'
import { textTable } from '../table.ts'

/** For programs: `-o json`. */
export interface LabDocument {
  readonly ok: boolean
  readonly vms: readonly {
    readonly name: string
    readonly client: string
    readonly ok: boolean
    readonly steps: readonly {
      readonly name: string
      readonly ok: boolean
      readonly ms: number
      readonly error?: string
    }[]
  }[]
}

export function labDocument(reports: readonly VmReport[]): LabDocument {
  return {
    ok: allBooted(reports),
    vms: reports.map(({ name, client, ok, steps }) => ({
      name,
      client,
      ok,
      steps: steps.map((step) => ({
        name: step.name,
        ok: step.ok,
        ms: step.ms,
        ...(step.ok ? {} : { error: step.text }),
      })),
    })),
  }
}

/** No machine at all is no success either. */
export function allBooted(reports: readonly VmReport[]): boolean {
  return reports.length > 0 && reports.every((report) => report.ok)
}

const timedSteps = ['pxe', 'dhcp', 'ignition', 'api', 'konnectivity', 'apps']

/** For people: the table at the end, with times of what any machine did. */
export function labTable(reports: readonly VmReport[]): string {
  const shown = timedSteps.filter(
    (name) => name !== 'pxe' || reports.some(({ steps }) => steps.some((step) => step.name === name)),
  )
  const header = ['VM', 'CLIENT', 'ADDRESS', ...shown.map((name) => name.toUpperCase()), 'STEPS', 'RESULT']
  return textTable([header, ...reports.map((report) => row(report, shown))])
}

function row(report: VmReport, shown: readonly string[]): string[] {
  const stepNamed = (name: string) => report.steps.find((step) => step.name === name)
  const dhcp = stepNamed('dhcp')
  const times = shown.map((name) => {
    const step = stepNamed(name)
    return step?.ok ? `${step.ms} ms` : '-'
  })
  const good = report.steps.filter((step) => step.ok).length
  return [
    report.name,
    report.client,
    dhcp?.ok ? (dhcp.text.split('/')[0] ?? '') : '-',
    ...times,
    `${good}/${report.steps.length}`,
    report.ok ? 'booted' : 'FAILED',
  ]
}

/** What went wrong, for each machine that did not boot. */
export function labFailures(reports: readonly VmReport[]): string {
  return reports
    .filter((report) => !report.ok)
    .map((report) => {
      const wrong = report.steps.filter((step) => !step.ok).map((step) => `  ${step.name}: ${step.text}\n`)
      const lines = report.console.map((line) => `  | ${line}\n`)
      return `\n${report.name} (${report.client}) did not boot:\n${wrong.join('')}${lines.join('')}`
    })
    .join('')
}
