import { Command } from 'commander'
import { type ConditionType, conditionTypes, type GoodReason, goodReasons } from '../api/conditions.ts'
import type { ReasonText } from '../api/reasons/reason.ts'
import { type Reason, reasons } from '../api/reasons.ts'
import { suggest } from '../api/suggestion.ts'
import { exitCode } from './exit.ts'
import { outputOption } from './options.ts'
import { textTable } from './table.ts'
import type { Terminal } from './terminal.ts'

const examples = `
Examples:
  oooi explain PoolExhausted           a reason: what it means and what to do
  oooi explain NetworkAttached         a condition: what it says when it is True
  oooi explain                         every reason that something is wrong for
  oooi explain -o json | jq -r '.[] | select(.blame == "host").reason'`

export function explainCommand(terminal: Terminal): Command {
  return new Command('explain')
    .description('what a reason or a condition in a status, an event or a message means, and what to do about it')
    .argument('[name]', 'such as PoolExhausted; left out: all reasons')
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((name: string | undefined, options: { output: string }) => explain(terminal, name, options.output))
}

/** What can be asked for; only reasons have something to be done. */
type Explanation =
  | ({ readonly reason: string; readonly meaning: string } & Partial<Omit<ReasonText, 'meaning'>>)
  | { readonly condition: string; readonly meaning: string; readonly of: readonly string[] }

function explain(terminal: Terminal, asked: string | undefined, output: string): void {
  const found = asked === undefined ? allReasons() : named(asked)
  if (found.length === 0) {
    const meant = suggest(asked ?? '', names())
    terminal.stderr.write(
      `oooi: there is no reason or condition ${asked}: ${meant === undefined ? 'oooi explain lists all reasons' : `did you mean ${meant}?`}\n`,
    )
    terminal.exitCode = exitCode.usage
  } else if (output === 'json') {
    terminal.stdout.write(`${JSON.stringify(found)}\n`)
  } else if (asked === undefined) {
    terminal.stdout.write(textTable(found.map((one) => [nameOf(one), one.meaning])))
  } else {
    terminal.stdout.write(found.map(inWords).join(''))
  }
}

function allReasons(): Explanation[] {
  return (Object.keys(reasons) as Reason[]).map((reason) => ({ reason, ...reasons[reason] }))
}

function names(): string[] {
  return [...Object.keys(reasons), ...Object.keys(conditionTypes), ...Object.keys(goodReasons)]
}

/** A word can be both: the condition Accepted is True for the reason Accepted. */
function named(asked: string): Explanation[] {
  const isMeant = (name: string): boolean => name.toLowerCase() === asked.toLowerCase()
  const types = (Object.keys(conditionTypes) as ConditionType[]).filter(isMeant)
  const good = (Object.keys(goodReasons) as GoodReason[]).filter(isMeant)
  return [
    ...allReasons().filter((one) => isMeant(nameOf(one))),
    ...types.map((condition) => ({ condition, ...conditionTypes[condition] })),
    ...good.map((reason) => ({ reason, meaning: goodReasons[reason] })),
  ]
}

function nameOf(one: Explanation): string {
  return 'condition' in one ? one.condition : one.reason
}

function inWords(one: Explanation): string {
  if ('condition' in one) return `${one.condition}, a condition of ${one.of.join(', ')}\n  ${one.meaning}\n`
  return `${one.reason}\n  ${one.meaning}\n${one.remedy === undefined ? '' : `  ${one.remedy}\n`}`
}
