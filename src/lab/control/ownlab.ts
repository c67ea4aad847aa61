import { readdirSync, readFileSync, statSync } from 'node:fs'
import { failed, ok, type Result } from '../../core/result.ts'
import { firstChildOf } from '../host/process.ts'
import { ownLabMark } from '../host/userns.ts'
import { labRoot } from '../ledger/ledger.ts'

interface OwnLab {
  readonly id: string
  /** Its first process, as the host numbers it. */
  readonly pid: number
}

/**
 * The command that runs the program inside the lab of this ordinary user: the one with this id, or the only one;
 * undefined if there is none. Nothing on disk tells of such a lab, its processes do.
 */
export function insideOwnLab(
  userId: number,
  id: string | undefined,
  program: readonly string[],
): Result<string[] | undefined> {
  const labs = ownLabs(userId).filter((lab) => id === undefined || lab.id === id)
  const [only, second] = labs
  if (!only) return ok(undefined)
  if (second) {
    const ids = labs.map((lab) => lab.id).join(', ')
    return failed({ reason: 'LabNotRunning', message: `several labs are running: name one with --lab (${ids})` })
  }
  const all = ['--user', '--preserve-credentials', '--net', '--mount', '--pid']
  return ok(['nsenter', '--target', String(only.pid), ...all, '--', ...program])
}

function ownLabs(userId: number): OwnLab[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isStarter(pid, userId))
    .map(firstChildOf)
    .filter((pid) => pid !== undefined)
    .flatMap((pid) => labsSeenBy(pid).map((id) => ({ id, pid })))
}

/** The process that made the namespaces and waits outside. */
function isStarter(pid: number, userId: number): boolean {
  try {
    const [program, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return program === 'unshare' && args.includes(ownLabMark) && statSync(`/proc/${pid}`).uid === userId
  } catch {
    return false
  }
}

function labsSeenBy(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/root${labRoot}`)
  } catch {
    return []
  }
}
