import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { toolPath } from '../../../src/lab/host/command.ts'

const run = promisify(execFile)

/** The repository this file is in. */
export const checkout = join(import.meta.dirname, '..', '..', '..')

/**
 * What a program prints as its version, on whichever stream and with whatever exit status: the first number with dots,
 * or what the pattern captures.
 */
export async function versionOf(program: string, args: readonly string[], pattern?: RegExp): Promise<string> {
  const { stdout, stderr } = await run(program, args, { env: { PATH: toolPath } }).catch(outputOf)
  return versionIn(`${stdout}\n${stderr}`, pattern)
}

export function versionIn(text: string, pattern = /(\d+\.\d+(?:\.\d+)?)/): string {
  return pattern.exec(text)?.[1] ?? 'of unknown version'
}

/** Ours: the commit that was measured, and whether anything was changed since, with the Node it ran on. */
export async function ownVersion(): Promise<string> {
  const { stdout } = await run('git', ['describe', '--always', '--dirty=-changed'], { cwd: checkout }).catch(outputOf)
  return `${stdout.trim() || 'of unknown version'} on Node ${process.versions.node}`
}

function outputOf(error: unknown): { stdout: string; stderr: string } {
  const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
  return { stdout, stderr }
}
