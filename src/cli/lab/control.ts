import { spawn } from 'node:child_process'
import { Argument, Command, Option } from 'commander'
import { failed, ok, type Result } from '../../core/result.ts'
import { findLab, type LabClient } from '../../lab/control/client.ts'
import type { BreakDocument, HealDocument } from '../../lab/control/control.ts'
import { faultNames } from '../../lab/control/fault.ts'
import type { Look } from '../../lab/control/look.ts'
import type { LabDescription } from '../../lab/control/server.ts'
import { toolPath } from '../../lab/host/command.ts'
import type { TraceDocument } from '../../lab/trace/trace.ts'
import { exitCode } from '../exit.ts'
import { outputOption } from '../options.ts'
import { reportProblems, type Terminal } from '../terminal.ts'
import { breakText, healText, lookText, traceText } from './control-report.ts'
import { exitOf, orderedInOwnLab } from './user.ts'

interface ControlOptions {
  readonly lab?: string
  readonly output: string
}

/** Commands for a lab that runs in another terminal. */
export function labControlCommands(terminal: Terminal): Command[] {
  return [
    breakCommand(terminal),
    healCommand(terminal),
    lookCommand(terminal),
    traceCommand(terminal),
    shellCommand(terminal),
  ]
}

/** Breaks that are of one machine alone. */
const ofOneVm: readonly string[] = ['vm', 'pxe']

const breaks = `
  dhcp, dns, proxy  oooi's component loses its address; in lab-cluster its pod is deleted
  api               the hosted cluster's API server is ended
  vip               nobody has the address of *.apps
  upstream          the resolver behind oooi is ended
  vm [name]         a VM is switched off
  pxe [name]        the file that a VM boots from the network is gone, and the VM is switched off and on

Several can be broken at a time. What is shown is what a VM and a pod see, so it takes the patience of their clients.

Examples:
  oooi lab break dns
  oooi lab break vm worker-2
  oooi lab heal`

function breakCommand(terminal: Terminal): Command {
  return controlCommand('break', 'break something in the running lab, and see what still works and what oooi says')
    .addArgument(new Argument('<what>', 'what to break').choices(faultNames))
    .argument('[vm]', 'which VM, for `vm` and `pxe`')
    .addHelpText('after', breaks)
    .action((what: string, vm: string | undefined, options: ControlOptions, self: Command) => {
      if (vm !== undefined && !ofOneVm.includes(what)) {
        return self.error(`error: ${what} is broken for all VMs: leave "${vm}" out, or break ${ofOneVm.join(' or ')}`)
      }
      const parameters = { fault: what, ...(vm ? { vm } : {}) }
      return order<BreakDocument>(terminal, self, options, '/break', parameters, breakText)
    })
}

function healCommand(terminal: Terminal): Command {
  return controlCommand(
    'heal',
    'mend all that was broken, and watch it come back; exit 0 only if all works again',
  ).action((options: ControlOptions, self: Command) =>
    order<HealDocument>(terminal, self, options, '/heal', {}, healText, ({ look }) => look.ok),
  )
}

function lookCommand(terminal: Terminal): Command {
  return controlCommand('look', 'what works in the running lab at this moment; exit 0 only if all does').action(
    (options: ControlOptions, self: Command) =>
      order<Look>(terminal, self, options, '/look', {}, lookText, ({ ok: works }) => works),
  )
}

function traceCommand(terminal: Terminal): Command {
  return controlCommand('trace', 'boot a VM again and show its steps beside the packets that mattered')
    .argument('<vm>', 'which VM')
    .action((vm: string, options: ControlOptions, self: Command) =>
      order<TraceDocument>(terminal, self, options, '/trace', { vm }, traceText, ({ ok: booted }) => booted),
    )
}

function shellCommand(terminal: Terminal): Command {
  return new Command('shell')
    .description('a shell on a VM of the running lab, or one command there')
    .addOption(labOption())
    .argument('<vm>', 'which VM')
    .argument('[command...]', 'what to run instead of a shell')
    .addHelpText('after', '\nExamples:\n  oooi lab shell worker-1\n  oooi lab shell worker-1 -- cat /etc/resolv.conf')
    .action((vm: string, command: string[], options: { lab?: string }, self: Command) =>
      shell(terminal, self, vm, command, options.lab),
    )
}

function controlCommand(name: string, description: string): Command {
  return new Command(name).description(description).addOption(labOption()).addOption(outputOption())
}

function labOption(): Option {
  return new Option('--lab <id>', 'which lab, if several run')
}

async function order<Document>(
  terminal: Terminal,
  self: Command,
  options: ControlOptions,
  path: string,
  parameters: Readonly<Record<string, string>>,
  text: (document: Document) => string,
  isGood: (document: Document) => boolean = () => true,
): Promise<void> {
  if (await orderedInOwnLab(terminal, options.lab, self)) return
  const lab = findLab(options.lab)
  // It may take a while.
  if (terminal.interactive && options.output !== 'json')
    terminal.stderr.write(`asking ${lab.ok ? lab.value.id : 'the lab'} ...\n`)
  const answer: Result<Document> = lab.ok ? await lab.value.ask<Document>(path, parameters) : lab
  if (!answer.ok) return reportProblems(terminal, answer.problems)
  terminal.stdout.write(options.output === 'json' ? `${JSON.stringify(answer.value)}\n` : text(answer.value))
  if (!isGood(answer.value)) terminal.exitCode = exitCode.failed
}

async function shell(
  terminal: Terminal,
  self: Command,
  vm: string,
  command: readonly string[],
  id: string | undefined,
): Promise<void> {
  if (await orderedInOwnLab(terminal, id, self)) return
  const lab = findLab(id)
  const pid = lab.ok ? await initPidOf(lab.value, vm) : lab
  if (!pid.ok) return reportProblems(terminal, pid.problems)
  const inside = ['--target', String(pid.value), '--net', '--mount', '--uts', '--pid', '--']
  const program = command.length > 0 ? command : ['/bin/sh']
  const child = spawn('nsenter', [...inside, ...program], {
    stdio: 'inherit',
    env: { PATH: toolPath, TERM: terminal.env.TERM ?? 'dumb', PS1: `${vm}# ` },
  })
  terminal.exitCode = await exitOf(child)
}

async function initPidOf(lab: LabClient, vm: string): Promise<Result<number>> {
  const answer = await lab.ask<LabDescription>('/lab')
  if (!answer.ok) return answer
  const refuse = (message: string): Result<never> => failed({ reason: 'LabOrderRefused', message })
  const found = answer.value.vms.find(({ name }) => name === vm)
  const names = answer.value.vms.map(({ name }) => name).join(', ')
  if (!found) return refuse(`the lab has no VM ${vm}: it has ${names}`)
  if (found.ownKernel) return refuse(`${vm} has a kernel of its own and no way in: take one of the other VMs`)
  if (found.initPid === undefined) return refuse(`${vm} is switched off: \`oooi lab heal\` switches it on`)
  return ok(found.initPid)
}
