import { get } from 'node:http'
import { Command } from 'commander'
import type { ComponentReport } from '../controllers/standalone/slot.ts'
import { controlSocketPath } from '../controllers/standalone/statedir.ts'
import { failed, ok, type Problem, type Result } from '../core/result.ts'
import { describeProblem, exitCode, remedyOf } from './exit.ts'
import { outputOption, stateDirOption } from './options.ts'
import { reportProblems, type Terminal } from './terminal.ts'

interface StatusDocument {
  readonly ready: boolean
  readonly problems: readonly Problem[]
  readonly components: readonly ComponentReport[]
}

export function statusCommand(terminal: Terminal): Command {
  return new Command('status')
    .description('what the oooi on this host serves, and what it cannot; exit 0 only if all is well')
    .addOption(stateDirOption(terminal))
    .addOption(outputOption())
    .action((options: { stateDir: string; output: string }) => status(terminal, options))
}

async function status(terminal: Terminal, options: { stateDir: string; output: string }): Promise<void> {
  const answer = await askStatus(options.stateDir)
  if (!answer.ok) return reportProblems(terminal, answer.problems)
  const document = answer.value
  terminal.stdout.write(options.output === 'json' ? `${JSON.stringify(document)}\n` : statusText(document))
  if (!document.ready) terminal.exitCode = exitCode.failed
}

export function statusText(document: StatusDocument): string {
  const lines = document.components.map((component) => {
    const state = component.ready ? 'ready' : component.serving ? 'serving an older version' : 'not serving'
    return `${component.name.padEnd(6)} ${state.padEnd(26)} ${summaryOf(component.status)}`.trimEnd()
  })
  for (const problem of document.problems) lines.push('', describeProblem(problem), `  ${remedyOf(problem.reason)}`)
  return `${lines.join('\n')}\n`
}

/** The plain numbers of an engine's status on one line; the rest is for `-o json`. */
function summaryOf(engineStatus: unknown): string {
  if (typeof engineStatus !== 'object' || engineStatus === null) return ''
  return Object.entries(engineStatus)
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}

function askStatus(stateDir: string): Promise<Result<StatusDocument>> {
  const socketPath = controlSocketPath(stateDir)
  return new Promise((resolve) => {
    const refuse = (error: Error): void =>
      resolve(failed({ reason: 'NotRunning', message: `no oooi answers on ${socketPath} (${error.message})` }))
    const request = get({ socketPath, path: '/status', timeout: 5000 }, (response) => {
      response.setEncoding('utf8')
      let body = ''
      response.on('data', (text: string) => {
        body += text
      })
      response.on('end', () => resolve(ok(JSON.parse(body) as StatusDocument)))
    })
    request.on('timeout', () => request.destroy(new Error('no answer within 5 seconds')))
    request.on('error', refuse)
  })
}
