import { Command, CommanderError } from 'commander'
import { crdsCommand } from './crds.ts'
import { engineCommands } from './engine.ts'
import { exitCode } from './exit.ts'
import { explainCommand } from './explain.ts'
import { labCommand } from './lab.ts'
import { labClusterCommand } from './lab-cluster.ts'
import { leasesCommand } from './leases.ts'
import { managerCommand } from './manager.ts'
import { renderCommand } from './render.ts'
import { statusCommand } from './status.ts'
import type { Terminal } from './terminal.ts'
import { upCommand } from './up.ts'
import { versionCommand } from './version.ts'

const intro =
  'oooi puts onto an isolated VLAN what the worker nodes of a hosted control plane lack there: DHCP that knows the VMs, split-horizon DNS, and an SNI proxy to the control plane.'

const more = `
Start here:
  oooi lab                          watch VMs boot through oooi on this machine (needs root)
  oooi render -f infra.yaml         see what an Infra becomes
  oooi up -f infra.yaml             serve the VLAN from this host

Exit codes: 0 done, 1 the job failed, 2 wrong usage, 3 bad manifest, 4 the host does not allow it.`

export function createProgram(terminal: Terminal): Command {
  const program = new Command('oooi')
    .description(intro)
    .addHelpText('after', more)
    .helpCommand('help [command]', 'explain a command')
    .showHelpAfterError('(oooi help shows the commands)')
  const commands = [
    upCommand(terminal),
    statusCommand(terminal),
    leasesCommand(terminal),
    renderCommand(terminal),
    labCommand(terminal),
    labClusterCommand(terminal),
    managerCommand(terminal),
    ...engineCommands(terminal),
    crdsCommand(terminal),
    explainCommand(terminal),
    versionCommand(terminal),
  ]
  for (const command of commands) program.addCommand(command)
  for (const command of [program, ...commands, ...commands.flatMap((parent) => parent.commands)]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    })
  }
  return program
}

/** Wrong usage becomes its exit code; anything else that is thrown is a fault of ours and says so. */
export async function runProgram(program: Command, args: readonly string[], terminal: Terminal): Promise<void> {
  try {
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
