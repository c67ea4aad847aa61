import { Command, CommanderError } from 'commander'
import { suggest } from '../api/suggestion.ts'
import { exitCode } from './exit.ts'
import type { Terminal } from './terminal.ts'

const intro =
  'oooi puts onto an isolated VLAN what the worker nodes of a hosted control plane lack there: DHCP that knows the VMs, split-horizon DNS, and an SNI proxy to the control plane.'

const more = `
Start here:
  oooi lab                          watch VMs boot through oooi on this machine
  oooi render -f infra.yaml         see what an Infra becomes
  oooi up -f infra.yaml             serve the VLAN from this host
  oooi doctor                       why machines of a cluster would not join

Exit codes: 0 done, 1 the job failed, 2 wrong usage, 3 bad manifest, 4 the host does not allow it.`

interface CommandSource {
  readonly names: readonly string[]
  readonly load: () => Promise<(terminal: Terminal) => Command | readonly Command[]>
}

/** In the order of the help. What a command needs is loaded with it: a process that serves for months carries no more. */
const sources: readonly CommandSource[] = [
  { names: ['up'], load: async () => (await import('./up/up.ts')).upCommand },
  { names: ['status'], load: async () => (await import('./status/status.ts')).statusCommand },
  { names: ['leases'], load: async () => (await import('./leases/leases.ts')).leasesCommand },
  { names: ['render'], load: async () => (await import('./render.ts')).renderCommand },
  { names: ['lab'], load: async () => (await import('./lab/lab.ts')).labCommand },
  { names: ['lab-cluster'], load: async () => (await import('./lab/cluster.ts')).labClusterCommand },
  { names: ['manager'], load: async () => (await import('./manager/manager.ts')).managerCommand },
  {
    names: ['virtual-ingress'],
    load: async () => (await import('./virtual-ingress/virtual-ingress.ts')).virtualIngressCommand,
  },
  { names: ['dhcp', 'dns', 'proxy'], load: async () => (await import('./engine.ts')).engineCommands },
  {
    names: ['dns-forward-snippet'],
    load: async () => (await import('./dns-forward-snippet.ts')).dnsForwardSnippetCommand,
  },
  { names: ['crds'], load: async () => (await import('./crds/crds.ts')).crdsCommand },
  { names: ['doctor'], load: async () => (await import('./doctor.ts')).doctorCommand },
  { names: ['plan-services'], load: async () => (await import('./plan-services.ts')).planServicesCommand },
  { names: ['explain'], load: async () => (await import('./explain.ts')).explainCommand },
  { names: ['version'], load: async () => (await import('./version.ts')).versionCommand },
]

/** The command that the arguments ask for; all of them where they ask for none, for the help or a suggestion. */
async function createProgram(terminal: Terminal, [asked = '']: readonly string[]): Promise<Command> {
  const program = new Command('oooi')
    .description(intro)
    .addHelpText('after', more)
    .helpCommand('help [command]', 'explain a command')
    // An option belongs to the command it stands behind, also where a command and its subcommand have the same one.
    .enablePositionalOptions()
    .showHelpAfterError('(oooi help shows the commands)')
  const wanted = sources.filter(({ names }) => names.includes(asked))
  const makers = await Promise.all((wanted.length > 0 ? wanted : sources).map(({ load }) => load()))
  const commands = makers.flatMap((make) => make(terminal))
  for (const command of commands) program.addCommand(command)
  program.hook('preAction', (_, command) => refuseUnsaid(command))
  for (const command of [program, ...commands, ...commands.flatMap((parent) => parent.commands)]) {
    // A subcommand that is misspelt looks like an argument too many; it is refused in better words.
    if (command.commands.length > 0) command.allowExcessArguments()
    command.exitOverride().configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    })
  }
  return program
}

/** What no command means: an option with nothing in it (a variable that is not set), a subcommand that is none. */
function refuseUnsaid(command: Command): void {
  const empty = command.options.find((option) => command.getOptionValue(option.attributeName()) === '')
  if (empty) command.error(`error: option '${empty.flags}' is empty`)
  const [stranger] = command.args
  if (command.commands.length === 0 || stranger === undefined) return
  const names = command.commands.map((child) => child.name())
  const meant = suggest(stranger, names)
  const advice = meant === undefined ? `it has ${names.join(', ')}` : `did you mean ${meant}?`
  command.error(`error: ${command.name()} has no command '${stranger}': ${advice}`)
}

/** Wrong usage becomes its exit code; anything else that is thrown is a fault of ours and says so. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<void> {
  try {
    const program = await createProgram(terminal, args)
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      terminal.exitCode = error.exitCode === 0 ? exitCode.ok : exitCode.usage
      return
    }
    terminal.stderr.write(
      `oooi: unexpected failure, please report it: ${error instanceof Error ? error.stack : String(error)}\n`,
    )
    terminal.exitCode = exitCode.failed
  }
}
