import type { BreakDocument, HealDocument } from '../lab/control/control.ts'
import type { Look } from '../lab/control/look.ts'
import type { TraceDocument, TraceEntry } from '../lab/trace/trace.ts'
import { lookSteps } from '../lab/vm/steps.ts'
import { textTable } from './table.ts'

export function breakText({ does, survives, heals, look }: BreakDocument): string {
  return `Broken: ${does}.\nShould go on: ${survives}.\nHeals: ${heals}.\n\n${lookText(look)}`
}

export function healText({ healed, seconds, look }: HealDocument): string {
  const what = healed.length > 0 ? `Mended: ${healed.map(({ fault }) => fault).join(', ')}` : 'Nothing was broken'
  const outcome = look.ok ? `all works again after ${seconds} s` : `after ${seconds} s not all works`
  return `${what}; ${outcome}.\n\n${lookText(look)}`
}

/** What works for whom, then why not, then what oooi says. */
export function lookText({ vms, status }: Look): string {
  const header = ['VM', ...lookSteps.map((name) => name.toUpperCase())]
  const rows = vms.map((vm) => [
    vm.name,
    ...lookSteps.map((name) => {
      const step = vm.steps.find((one) => one.name === name)
      return step ? (step.ok ? 'ok' : 'FAILS') : '-'
    }),
  ])
  const failures = vms.flatMap((vm) =>
    vm.steps.filter((step) => !step.ok).map((step) => `  ${vm.name} ${step.name}: ${step.text}\n`),
  )
  const said = status.lines.map((line) => `  ${line}\n`)
  return `${textTable([header, ...rows])}${failures.join('')}\noooi says:\n${said.join('')}`
}

export function traceText({ vm, ok, entries }: TraceDocument): string {
  const rows = entries.map((entry) => [`${entry.ms} ms`.padStart(8), ...cells(entry)])
  return `${textTable(rows)}${vm} ${ok ? 'booted' : 'did not boot'}\n`
}

function cells(entry: TraceEntry): string[] {
  if (entry.type === 'step') return [entry.ok ? '  ok' : 'FAIL', `${entry.name}: ${entry.text}`]
  return [`${entry.direction === 'out' ? '->' : '<-'} ${entry.protocol}`, entry.text]
}
