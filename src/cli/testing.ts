import { Readable, Writable } from 'node:stream'
import { ok } from '../core/result.ts'
import { runProgram } from './program.ts'
import type { Terminal } from './terminal.ts'

/** For tests that run commands in this process: a Terminal whose output is kept. */

export interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

interface TestTerminal {
  readonly terminal: Terminal
  /** What was written so far, and the exit code as it stands. */
  readonly outcome: () => Outcome
}

export function testTerminal(given: Partial<Omit<Terminal, 'stdin'>> & { readonly stdin?: string } = {}): TestTerminal {
  const written = { stdout: '', stderr: '' }
  const into = (name: keyof typeof written): Writable =>
    new Writable({
      write(chunk, _, done) {
        written[name] += String(chunk)
        done()
      },
    })
  const terminal: Terminal = {
    stdout: into('stdout'),
    stderr: into('stderr'),
    env: {},
    interactive: false,
    userId: 1000,
    inherited: ok([]),
    unblock: () => undefined,
    stop: new AbortController().signal,
    exitCode: 0,
    ...given,
    stdin: Readable.from([given.stdin ?? '']),
  }
  return { terminal, outcome: () => ({ ...written, exitCode: terminal.exitCode }) }
}

/** `oooi <args>` as an ordinary user, to its end. */
export async function oooi(...args: string[]): Promise<Outcome> {
  const { terminal, outcome } = testTerminal()
  await runProgram(args, terminal)
  return outcome()
}
