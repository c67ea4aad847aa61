import { Command } from 'commander'
import { journalPath, readLeases } from '../engines/dhcp/index.ts'
import { outputOption, stateDirOption } from './options.ts'
import { textTable } from './table.ts'
import { reportProblems, type Terminal } from './terminal.ts'

export function leasesCommand(terminal: Terminal): Command {
  return new Command('leases')
    .description('the leases on disk: who has which address until when; works whether or not oooi runs')
    .addOption(stateDirOption(terminal))
    .addOption(outputOption())
    .action((options: { stateDir: string; output: string }) => leases(terminal, options))
}
