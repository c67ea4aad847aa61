import type { Warning } from '../api/manifest.ts'
import type { Problem, Result } from '../core/result.ts'
import type { InheritedDescriptor } from '../runtime/host/inherited-descriptors.ts'
import { describeProblem, exitCodeFor } from './exit.ts'

/** The process as a command sees it. `main.ts` makes the real one; tests make their own. */
export interface Terminal {
  readonly stdin: AsyncIterable<Buffer | string>
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream
  readonly env: Readonly<Record<string, string | undefined>>
  /** Somebody is looking: standard output is a terminal. */
  readonly interactive: boolean
  readonly userId: number
  /** What systemd opened for this process. */
  readonly inherited: Result<readonly InheritedDescriptor[]>
  /** Makes writes to an inherited descriptor fail where they would wait. */
  readonly unblock: (fd: number) => void
  /** Aborted by SIGINT and SIGTERM. */
  readonly stop: AbortSignal
  exitCode: number
}

/** Says all that is wrong, one line each, and sets the exit code that goes with it. */
export function reportProblems(terminal: Terminal, problems: readonly Problem[]): void {
  for (const problem of problems) terminal.stderr.write(`oooi: ${describeProblem(problem)}\n`)
  terminal.exitCode = exitCodeFor(problems)
}

export function reportWarning(terminal: Terminal, { message, field, at }: Warning): void {
  terminal.stderr.write(`oooi: warning: ${at.file}:${at.line}: ${field ? `${field}: ` : ''}${message}\n`)
}
