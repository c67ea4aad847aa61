import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { toolPath } from '../src/lab/host/command.ts'

/**
 * Whether apt-get did it. Somebody else may hold the lock, as a fresh machine's own first upgrade does: it waits, and
 * tries again. `within` is the command line that apt-get and its arguments are put behind, if it is not to run by itself.
 */
export async function aptGet(
  args: readonly string[],
  { attempts = 3, within = [] }: { readonly attempts?: number; readonly within?: readonly string[] } = {},
): Promise<boolean> {
  const [program = '', ...rest] = [...within, 'apt-get', '-q', '-o', 'DPkg::Lock::Timeout=300', ...args]
  for (let attempt = 1; attempt <= attempts; attempt++) {
    if (attempt > 1) await sleep(5000)
    if (await succeeds(program, rest)) return true
  }
  return false
}

function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  const env = { PATH: toolPath, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  return new Promise((resolve) => {
    spawn(program, args, { stdio: ['ignore', process.stderr, process.stderr], env })
      .on('error', () => resolve(false))
      .on('close', (code) => resolve(code === 0))
  })
}
