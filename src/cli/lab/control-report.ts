import type { BreakDocument, HealDocument } from '../../lab/control/control.ts'
import type { Look } from '../../lab/control/look.ts'
import type { VmReport } from '../../lab/events.ts'
import type { TraceDocument, TraceEntry } from '../../lab/trace/trace.ts'
import { lookSteps } from '../../lab/vm/steps.ts'
import { textTable } from '../table.ts'

export function breakText({ does, survives, heals, look }: BreakDocument): string {
  return `Broken: ${does}.\nShould go on: ${survives}.\nHeals: ${heals}.\n\n${tableText(look)}`
}

export function healText({ healed, seconds, look }: HealDocument): string {
  const mended = healed.map(({ fault, vm }) => [fault, vm].join(' ').trim())
  const what = mended.length > 0 ? `Mended: ${mended.join(', ')}` : 'Nothing was broken'
  const works = mended.length > 0 ? `all works again after ${seconds} s` : 'all works'
  return `${what}; ${look.ok ? works : `after ${seconds} s not all works`}.\n\n${tableText(look)}`
}

export function lookText(look: Look): string {
  const { broken } = look
  return `${broken.length > 0 ? `Broken: ${broken.join(', ')}; \`oooi lab heal\` mends it.\n\n` : ''}${tableText(look)}`
}

/** What works for whom, then why not, then what oooi says. */
function tableText({ vms, status }: Look): string {
  const header = ['VM', ...lookSteps.map((name) => name.toUpperCase())]
  const rows = vms.map((vm) => [
    vm.name,
    ...lookSteps.map((name) => {
      const step = vm.steps.find((one) => one.name === name)
      return step ? (step.ok ? 'ok' : 'FAILS') : '-'
    }),
  ])
  const said = status.lines.map((line) => `  ${line}\n`)
  return `${textTable([header, ...rows])}${failureLines(vms).join('')}\noooi says:\n${said.join('')}`
}

const namedAtMost = 3

/** Why something fails; once for all who fail alike, whatever milliseconds they waited. */
function failureLines(vms: readonly VmReport[]): string[] {
  const alike = new Map<string, { readonly line: string; readonly names: string[] }>()
  for (const { name, steps } of vms) {
    for (const step of steps.filter(({ ok }) => !ok)) {
      const line = `${step.name}: ${step.text}`
      const key = line.replace(/\d+(?= (ms|milliseconds)\b)/g, '')
      const found = alike.get(key)
      if (found) found.names.push(name)
      else alike.set(key, { line, names: [name] })
    }
  }
  return [...alike.values()].map(({ line, names }) => {
    const more = names.length > namedAtMost ? ` and ${names.length - namedAtMost} more` : ''
    return `  ${names.slice(0, namedAtMost).join(', ')}${more} ${line}\n`
  })
}

export function traceText({ vm, ok, entries }: TraceDocument): string {
  const rows = entries.map((entry) => [`${entry.ms} ms`.padStart(8), ...cells(entry)])
  return `${textTable(rows)}${vm} ${ok ? 'booted' : 'did not boot'}\n`
}

function cells(entry: TraceEntry): string[] {
  if (entry.type === 'step') return [entry.ok ? '  ok' : 'FAIL', `${entry.name}: ${entry.text}`]
  return [`${entry.direction === 'out' ? '->' : '<-'} ${entry.protocol}`, entry.text]
}
