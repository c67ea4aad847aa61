import { get } from 'node:http'
import { Command, Option } from 'commander'
import type { ComponentReport } from '../../controllers/standalone/slot.ts'
import { controlSocketPath } from '../../controllers/standalone/statedir.ts'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'
import type { Boot } from '../../core/trace/boots.ts'
import { describeProblem, exitCode, remedyOf } from '../exit.ts'
import { outputOption, parseReferenceArgument, stateDirOption } from '../options.ts'
import { reportProblems, type Terminal } from '../terminal.ts'
import { bootsText, vmsInCluster, vmsText } from './vms.ts'

interface StatusDocument {
  readonly ready: boolean
  readonly problems: readonly Problem[]
  readonly components: readonly ComponentReport[]
  readonly vms?: readonly Boot[]
}

interface StatusOptions {
  readonly stateDir: string
  readonly output: string
  readonly vms?: true
  readonly infra?: string
  readonly kubeconfig?: string
}

const examples = `
Examples:
  oooi status                              is everything served?
  oooi status --vms                        how far did each machine come?
  oooi status --infra clusters/example     the same of an Infra in a cluster

Stages of a boot: NoAddress, Leased, Resolved (asked for names), Connecting (reached the proxy), Connected (reached the API server).`

export function statusCommand(terminal: Terminal): Command {
  return new Command('status')
    .description('what the oooi on this host serves, and what it cannot; exit 0 only if all is well')
    .addOption(stateDirOption(terminal))
    .addOption(outputOption())
    .option('--vms', 'how far the boot of each machine came, and what to look at where one goes no further')
    .addOption(
      new Option('--infra <namespace/name>', 'with --vms, or instead: the machines of an Infra in a cluster').argParser(
        parseReferenceArgument,
      ),
    )
    .option('--kubeconfig <file>', 'with --infra: the way to the API server (default: as kubectl)')
    .addHelpText('after', examples)
    .action((options: StatusOptions, self: Command) => {
      if (options.infra !== undefined) return clusterVms(terminal, options.infra, options)
      if (options.kubeconfig !== undefined) return self.error('error: --kubeconfig goes with --infra only')
      return status(terminal, options)
    })
}

async function clusterVms(terminal: Terminal, infra: string, { kubeconfig, output }: StatusOptions): Promise<void> {
  const answer = await vmsInCluster(terminal, infra, kubeconfig)
  if (!answer.ok) return reportProblems(terminal, answer.problems)
  terminal.stdout.write(output === 'json' ? `${JSON.stringify(answer.value)}\n` : vmsText(answer.value))
  if ((answer.value.stuck ?? []).length > 0) terminal.exitCode = exitCode.failed
}

async function status(terminal: Terminal, options: StatusOptions): Promise<void> {
  const answer = await askStatus(options.stateDir)
  if (!answer.ok) return reportProblems(terminal, answer.problems)
  const document = answer.value
  const text = options.vms ? bootsText(document.vms ?? [], Date.now()) : statusText(document)
  terminal.stdout.write(options.output === 'json' ? `${JSON.stringify(document)}\n` : text)
  if (!document.ready) terminal.exitCode = exitCode.failed
}

export function statusText(document: StatusDocument): string {
  const nameWidth = Math.max(6, ...document.components.map(({ name }) => name.length))
  const lines = document.components.map((component) => {
    const state = component.ready ? 'ready' : component.serving ? 'serving an older version' : 'not serving'
    return `${component.name.padEnd(nameWidth)} ${state.padEnd(26)} ${summaryOf(component.status)}`.trimEnd()
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

function whySilent(error: Error): string {
  const code = 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return 'there is no such socket'
  if (code === 'ECONNREFUSED') return 'the process that had it has ended'
  if (code === 'EACCES') return 'this user may not use it'
  return error.message
}

function askStatus(stateDir: string): Promise<Result<StatusDocument>> {
  const socketPath = controlSocketPath(stateDir)
  return new Promise((resolve) => {
    const refuse = (error: Error): void =>
      resolve(failed({ reason: 'NotRunning', message: `no oooi answers on ${socketPath}: ${whySilent(error)}` }))
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
