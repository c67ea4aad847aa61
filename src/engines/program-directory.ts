import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Problem } from '../core/result.ts'
import { type DirectoryLock, lockDirectory } from '../runtime/host/directory-lock.ts'
import { whyUnusable } from '../runtime/host/why-unusable.ts'

/** Where the files of a program are that oooi runs, for as long as this oooi runs it. */
export interface ProgramDirectory extends DirectoryLock {
  readonly path: string
}

const lockName = 'program.lock'
/** More than ever drain at the same time. */
const most = 100

/**
 * `<stateDir>/<name>`, or `<name>-2` and so on while an earlier oooi, which has handed over, still runs its program with
 * the files there.
 */
export async function takeProgramDirectory(stateDir: string, name: string): Promise<ProgramDirectory> {
  for (let number = 1; number <= most; number++) {
    const path = join(stateDir, number === 1 ? name : `${name}-${number}`)
    await mkdir(path, { recursive: true, mode: 0o700 })
    const lock = await lockDirectory(path, lockName)
    if (lock) return { path, release: () => lock.release() }
  }
  throw new Error(`${most} programs run with files in ${join(stateDir, name)} already`)
}

/** Those of an oooi that is no more; its program may still run. It has the directory while `end` ends that. */
export async function forAbandoned(
  stateDir: string,
  name: string,
  end: (path: string) => Promise<void>,
): Promise<void> {
  const isOne = new RegExp(`^${name}(-[0-9]+)?$`)
  for (const entry of (await readdir(stateDir)).filter((one) => isOne.test(one))) {
    const path = join(stateDir, entry)
    const lock = await lockDirectory(path, lockName)
    if (!lock) continue
    await end(path)
    await lock.release()
  }
}

export function filesNotWritten(program: string, error: unknown): Problem {
  return { reason: 'StateDirUnusable', message: `the files for ${program} cannot be written: ${whyUnusable(error)}` }
}
