import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Command } from 'commander'
import { insideOwnLab } from '../../lab/control/ownlab.ts'
import { firstChildOf } from '../../lab/host/process.ts'
import { asOwnRoot, checkUserNamespaces } from '../../lab/host/userns.ts'
import { endProcess } from '../../lab/ledger/endprocess.ts'
import { identify } from '../../lab/ledger/identity.ts'
import { type VmCounts, wantsQemu } from '../../lab/plan.ts'
import { qemuImage, whyNoQemu } from '../../lab/qemu/image.ts'
import { exitCode } from '../exit.ts'
import { reportProblems, type Terminal } from '../terminal.ts'

/** What `oooi lab` does for a user who is not root: the same command again, as root of namespaces of its own. */

const endsWithinMs = 20_000

export async function labOfUser(terminal: Terminal, command: Command, counts: VmCounts): Promise<void> {
  const possible = await checkUserNamespaces()
  if (!possible.ok) return reportProblems(terminal, possible.problems)
  if (wantsQemu(counts) && whyNoQemu() === undefined) await fetchKernel(terminal)
  const [program = '', ...args] = asOwnRoot(thisCommand(command))
  // A session of its own: Ctrl-C reaches this process alone, which passes it on once.
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: terminal.env,
  })
  terminal.stop.addEventListener('abort', () => {
    const inside = child.pid === undefined ? undefined : firstChildOf(child.pid)
    const identity = inside === undefined ? undefined : identify(inside)
    if (identity) void endProcess(identity, endsWithinMs)
    else child.kill('SIGKILL')
  })
  terminal.exitCode = await exitOf(child)
}

/** Inside there is no network but the lab's own. What cannot be had is told there, by the lab itself. */
async function fetchKernel(terminal: Terminal): Promise<void> {
  const fetching = (what: string): void => void terminal.stderr.write(`fetching ${what} for the QEMU VM ...\n`)
  await qemuImage(fetching, terminal.stop).catch(() => {})
}

/** Gives the order inside the lab of this user; false if there is none, and it is another's or nobody's. */
export async function orderedInOwnLab(terminal: Terminal, id: string | undefined, command: Command): Promise<boolean> {
  if (terminal.userId === 0) return false
  const inside = insideOwnLab(terminal.userId, id, thisCommand(command))
  if (!inside.ok) {
    reportProblems(terminal, inside.problems)
    return true
  }
  const [program, ...args] = inside.value ?? []
  if (program === undefined) return false
  terminal.exitCode = await exitOf(spawn(program, args, { stdio: 'inherit', env: terminal.env }))
  return true
}

/** The command line that is being run, word by word: what the outermost command was given. */
function thisCommand(command: Command): string[] {
  let outermost = command
  while (outermost.parent) outermost = outermost.parent
  return [join(import.meta.dirname, '..', '..', '..', 'bin', 'oooi'), ...outermost.args]
}

export function exitOf(child: ReturnType<typeof spawn>): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(exitCode.failed))
    child.once('close', (code) => resolve(code ?? exitCode.failed))
  })
}
