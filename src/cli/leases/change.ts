import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { parseIpv4 } from '../../core/net/ipv4.ts'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'
import { changeLeases } from '../../engines/dhcp/journal/change.ts'
import { journalPath, leasesLock, readLeases } from '../../engines/dhcp/journal/open.ts'
import { evicted } from '../../engines/dhcp/leases/eviction.ts'
import { unknownLease } from '../../engines/dhcp/leases/unknown-lease.ts'
import { readLeaseFile, takeOverLeases } from '../../engines/dhcp/transfer/import.ts'
import { writeOwnFormat } from '../../engines/dhcp/transfer/own.ts'
import { askHolder } from '../../runtime/host/directory-lock.ts'
import { whyUnreadable } from '../../runtime/host/why-unreadable.ts'
import { parseAddressArgument, stateDirOption } from '../options.ts'
import { reportProblems, type Terminal } from '../terminal.ts'
import { checkLeaseDirectory } from './directory.ts'

interface StateDir {
  readonly stateDir: string
}

/** The parts of `oooi leases` that do more than look. */
export function leasesChangeCommands(terminal: Terminal): Command[] {
  const command = (name: string, description: string) =>
    new Command(name).description(description).addOption(stateDirOption(terminal))
  return [
    command('export', 'all leases on standard output, in a form that import reads').action((_options, self: Command) =>
      exportLeases(terminal, self.optsWithGlobals<StateDir>()),
    ),
    command('import', 'take over the leases of another server: oooi, leases.txt, Kea, dnsmasq or ISC dhcpd')
      .argument('<file>')
      .addHelpText('after', '\noooi must not be running there. A file with a bad line is not imported at all.')
      .action((file: string, _options, self: Command) =>
        importLeases(terminal, file, self.optsWithGlobals<StateDir>()),
      ),
    command('evict', 'end a lease, or forget an address that was set aside; works while oooi runs')
      .argument('<address>', 'the address, as oooi leases shows it', parseAddressArgument)
      .addHelpText('after', '\nA client that still uses the address gets it again if it lies in the range and is free.')
      .action((address: string, _options, self: Command) =>
        evictLease(terminal, address, self.optsWithGlobals<StateDir>()),
      ),
  ]
}

async function exportLeases(terminal: Terminal, { stateDir }: StateDir): Promise<void> {
  const place = await checkLeaseDirectory(stateDir)
  const read = place.ok ? await readLeases(journalPath(stateDir), Date.now()) : place
  if (read.ok) terminal.stdout.write(writeOwnFormat(read.value))
  else reportProblems(terminal, read.problems)
}

async function importLeases(terminal: Terminal, file: string, { stateDir }: StateDir): Promise<void> {
  const nowMs = Date.now()
  const text = await readText(file)
  const read = text.ok ? readLeaseFile(text.value, file, nowMs) : text
  if (!read.ok) return reportProblems(terminal, read.problems)
  const written = await changeLeases(stateDir, nowMs, (table) => takeOverLeases(table, read.value.leases))
  if (!written.ok) return reportProblems(terminal, written.problems)
  const known = read.value.leases.length - written.value
  terminal.stderr.write(
    `${written.value} leases imported from ${file} (${read.value.format})${known > 0 ? `, ${known} were known already` : ''}\n`,
  )
}

async function evictLease(terminal: Terminal, text: string, { stateDir }: StateDir): Promise<void> {
  const place = await checkLeaseDirectory(stateDir)
  if (!place.ok) return reportProblems(terminal, place.problems)
  const result = (await evictWhileRunning(stateDir, text)) ?? (await evictWhileStopped(stateDir, text))
  if (result.ok) terminal.stderr.write(`the lease of ${text} is over\n`)
  else reportProblems(terminal, result.problems)
}

async function evictWhileRunning(stateDir: string, address: string): Promise<Result<void> | undefined> {
  const answer = await askHolder(stateDir, leasesLock, `evict ${address}`)
  return isResult(answer) ? answer : undefined
}

/** From another process, but of this very program: the state directory is only for its owner. */
function isResult(value: unknown): value is Result<void> {
  return typeof value === 'object' && value !== null && 'ok' in value
}

async function evictWhileStopped(stateDir: string, text: string): Promise<Result<void>> {
  const nowMs = Date.now()
  const changed = await changeLeases(stateDir, nowMs, (table) => {
    const lease = table.at(parseIpv4(text) ?? -1)
    return lease === undefined
      ? failed(unknownLease(text))
      : ok([{ ...evicted(lease, nowMs), sequence: table.nextSequence() }])
  })
  return changed.ok ? ok() : changed
}

async function readText(file: string): Promise<Result<string>> {
  try {
    return ok(await readFile(file, 'utf8'))
  } catch (error) {
    const problem: Problem = {
      reason: 'LeaseFileInvalid',
      message: `cannot read ${file}: ${whyUnreadable(error)}`,
    }
    return failed(problem)
  }
}
