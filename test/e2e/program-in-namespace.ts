import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { inNamespace } from '../../src/lab/network/build.ts'

/** A small program of Node in a network namespace; there when it has said something. Ends with this process. */
export async function startInNamespace(namespace: string, script: string): Promise<ChildProcess> {
  const program = inNamespace(namespace, [process.execPath, '-e', script])
  const [command = '', ...args] = ['setpriv', '--pdeathsig', 'KILL', '--', ...program]
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}
