import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { endProcess } from '../ledger/endprocess.ts'
import { identify } from '../ledger/identity.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { diesWithUs, toolPath } from './command.ts'

export interface ProcessPlan {
  /** What it is, for people: `control plane`, `worker-1`. */
  readonly what: string
  readonly command: readonly string[]
  /** Everything it prints is kept here. */
  readonly logFile: string
  readonly env?: Readonly<Record<string, string>>
  readonly onLine?: (line: string) => void
  /** How long it may take to end after SIGTERM; 0 kills at once. */
  readonly graceMs: number
}

export interface RunningProcess {
  readonly pid: number
  /** Why it ended, once it has: `exit code 3` or `SIGKILL`. */
  readonly ended: Promise<string>
  readonly hasEnded: () => boolean
  /** The last lines it printed. */
  readonly tail: () => readonly string[]
  readonly write: (line: string) => void
  readonly stop: () => Promise<void>
}

const tailLines = 20

/**
 * Starts a process that belongs to the lab. It dies with the lab, however that dies (the parent-death signal), and has
 * its own session, so that Ctrl-C reaches the lab alone and things end in order.
 */
export function startProcess(ledger: Ledger, plan: ProcessPlan): RunningProcess {
  ledger.mustBeOpen()
  const [program, ...args] = [...diesWithUs, ...plan.command]
  const child = spawn(program, args, {
    detached: true,
    cwd: '/',
    stdio: 'pipe',
    env: { PATH: toolPath, LC_ALL: 'C', ...plan.env },
  })
  const identity = child.pid === undefined ? undefined : identify(child.pid)
  if (identity) ledger.record({ kind: 'process', what: plan.what, process: identity, graceMs: plan.graceMs })
  const log = createWriteStream(plan.logFile, { flags: 'a' }).on('error', () => {})
  const recent: string[] = []
  readLines(child, (line) => {
    log.write(`${line}\n`)
    recent.push(line)
    if (recent.length > tailLines) recent.shift()
    plan.onLine?.(line)
  })
  child.stdin?.on('error', () => {})
  let over = false
  const ended = new Promise<string>((resolve) => {
    const finish = (why: string): void => {
      over = true
      resolve(why)
    }
    child.once('error', (error) => finish(error.message))
    child.once('close', (code, signal) => finish(signal ?? `exit code ${code}`))
  })
  return {
    pid: child.pid ?? -1,
    ended,
    hasEnded: () => over,
    tail: () => recent,
    write: (line) => void child.stdin?.write(`${line}\n`),
    stop: async () => {
      child.stdin?.end()
      if (identity) await endProcess(identity, plan.graceMs)
    },
  }
}

function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', onLine)
  }
}

/** The process that this one started first, of those that still run. */
export function firstChildOf(pid: number): number | undefined {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
    return child ? Number(child) : undefined
  } catch {
    return undefined
  }
}
