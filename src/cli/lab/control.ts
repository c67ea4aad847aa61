import { spawn } from 'node:child_process'
import { ReadStream } from 'node:tty'
import { Argument, Command, Option } from 'commander'
import { failed, ok, type Result } from '../../core/result.ts'
import { findLab, type LabClient } from '../../lab/control/client.ts'
import type { BreakDocument, HealDocument } from '../../lab/control/control.ts'
import { faultNames } from '../../lab/control/fault.ts'
import type { Look } from '../../lab/control/look.ts'
import type { LabDescription } from '../../lab/control/server.ts'
import { toolPath } from '../../lab/host/command.ts'
import { runOverSerial, shellOverSerial, shellSocket } from '../../lab/qemu/serial-shell.ts'
import type { TraceDocument } from '../../lab/trace/trace.ts'
import { exitCode } from '../exit.ts'
import { readInput } from '../manifests.ts'
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

const shellExamples = `
In a VM with a kernel of its own the shell is at its second serial port: one at a time, from the moment it has booted.

Examples:
  oooi lab shell worker-1
  oooi lab shell worker-1 -- cat /etc/resolv.conf
  oooi lab shell worker-qemu -- uname -r`

function shellCommand(terminal: Terminal): Command {
  return new Command('shell')
    .description('a shell on a VM of the running lab, or one command there')
    .addOption(labOption())
    .argument('<vm>', 'which VM')
    .argument('[command...]', 'what to run instead of a shell')
    .addHelpText('after', shellExamples)
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
  if (!lab.ok) return reportProblems(terminal, lab.problems)
  const found = await vmOf(lab.value, vm)
  if (!found.ok) return reportProblems(terminal, found.problems)
  if (found.value.ownKernel) return serialShell(terminal, shellSocket(lab.value.directory, vm), vm, command)
  const pid = initPidOf(found.value)
  if (!pid.ok) return reportProblems(terminal, pid.problems)
  const inside = ['--target', String(pid.value), '--net', '--mount', '--uts', '--pid', '--']
  const program = command.length > 0 ? command : ['/bin/sh']
  const child = spawn('nsenter', [...inside, ...program], {
    stdio: 'inherit',
    env: { PATH: toolPath, TERM: terminal.env.TERM ?? 'dumb', PS1: `${vm}# ` },
  })
  terminal.exitCode = await exitOf(child)
}

/** A VM with a kernel of its own is entered by its second serial port. */
async function serialShell(terminal: Terminal, socket: string, vm: string, command: readonly string[]): Promise<void> {
  const { stdin, stdout, stop } = terminal
  if (command.length === 0 && stdin instanceof ReadStream) {
    stdin.setRawMode(true)
    const left = await shellOverSerial(socket, vm, { stdin, stdout })
    stdin.setRawMode(false)
    stdin.unref()
    return left.ok ? undefined : reportProblems(terminal, left.problems)
  }
  const script = command.length > 0 ? ok('') : await readInput(terminal, '-')
  if (!script.ok) return reportProblems(terminal, script.problems)
  const program = command.length > 0 ? command : ['sh', '-c', script.value]
  const answer = await runOverSerial(socket, vm, program, stop)
  if (!answer.ok) return reportProblems(terminal, answer.problems)
  stdout.write(answer.value.output)
  terminal.exitCode = answer.value.exitCode
}

type DescribedVm = LabDescription['vms'][number]

const refuse = (message: string): Result<never> => failed({ reason: 'LabOrderRefused', message })

async function vmOf(lab: LabClient, vm: string): Promise<Result<DescribedVm>> {
  const answer = await lab.ask<LabDescription>('/lab')
  if (!answer.ok) return answer
  const found = answer.value.vms.find(({ name }) => name === vm)
  const names = answer.value.vms.map(({ name }) => name).join(', ')
  return found ? ok(found) : refuse(`the lab has no VM ${vm}: it has ${names}`)
}

function initPidOf({ name, initPid }: DescribedVm): Result<number> {
  return initPid === undefined ? refuse(`${name} is switched off: \`oooi lab heal\` switches it on`) : ok(initPid)
}
