import { Command } from 'commander'
import { journalPath, readLeases } from '../../engines/dhcp/journal/open.ts'
import type { LeaseRecord } from '../../engines/dhcp/leases/lease-record.ts'
import { outputOption, stateDirOption } from '../options.ts'
import { textTable } from '../table.ts'
import { reportProblems, type Terminal } from '../terminal.ts'
import { leasesChangeCommands } from './change.ts'
import { checkLeaseDirectory } from './directory.ts'

interface LeasesOptions {
  readonly stateDir: string
  readonly output: string
}

export function leasesCommand(terminal: Terminal): Command {
  const command = new Command('leases')
    .description('the leases on disk: who has which address until when; works whether or not oooi runs')
    .addOption(stateDirOption(terminal))
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  oooi leases                              of the oooi on this host
  oooi leases -o json | jq '.[].address'
  oooi leases --state-dir /var/lib/oooi/c1     of one Infra, where oooi up serves a directory of them
  oooi leases evict 192.168.100.60         its client gets another address at its next renewal`,
    )
    .action((options: LeasesOptions) => leases(terminal, options))
  for (const change of leasesChangeCommands(terminal)) command.addCommand(change)
  return command
}

async function leases(terminal: Terminal, options: LeasesOptions): Promise<void> {
  const path = journalPath(options.stateDir)
  const place = await checkLeaseDirectory(options.stateDir)
  const read = place.ok ? await readLeases(path, Date.now()) : place
  if (!read.ok) return reportProblems(terminal, read.problems)
  if (options.output === 'json') terminal.stdout.write(`${JSON.stringify(read.value)}\n`)
  else if (read.value.length > 0) terminal.stdout.write(leasesText(read.value))
  else terminal.stderr.write(`no leases in ${path}\n`)
}

function leasesText(records: readonly LeaseRecord[]): string {
  const rows = records.map(({ address, mac, hostname = '', state, expires }) => [
    address,
    mac,
    hostname,
    state,
    expires,
  ])
  return textTable([['ADDRESS', 'MAC', 'HOSTNAME', 'STATE', 'EXPIRES'], ...rows])
}
