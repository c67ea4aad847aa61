import { Command } from 'commander'
import { type Reason, reasons } from '../api/reasons.ts'
import { suggest } from '../api/suggestion.ts'
import { exitCode } from './exit.ts'
import { outputOption } from './options.ts'
import { textTable } from './table.ts'
import type { Terminal } from './terminal.ts'

export function explainCommand(terminal: Terminal): Command {
  return new Command('explain')
    .description('what a reason in a status, an event or a message means, and what to do about it')
    .argument('[reason]', 'such as PoolExhausted; left out: all of them')
    .addOption(outputOption())
    .action((reason: string | undefined, options: { output: string }) => explain(terminal, reason, options.output))
}

function explain(terminal: Terminal, asked: string | undefined, output: string): void {
  const names = Object.keys(reasons) as Reason[]
  const found = asked === undefined ? names : names.filter((name) => name.toLowerCase() === asked.toLowerCase())
  if (found.length === 0) {
    const meant = suggest(asked ?? '', names)
    terminal.stderr.write(`oooi: there is no reason ${asked}${meant === undefined ? '' : `: did you mean ${meant}?`}\n`)
    terminal.exitCode = exitCode.usage
  } else if (output === 'json') {
    terminal.stdout.write(`${JSON.stringify(found.map((name) => ({ reason: name, ...reasons[name] })))}\n`)
  } else if (asked === undefined) {
    terminal.stdout.write(textTable(found.map((name) => [name, reasons[name].meaning])))
  } else {
    for (const name of found) terminal.stdout.write(`${name}\n  ${reasons[name].meaning}\n  ${reasons[name].remedy}\n`)
  }
}
