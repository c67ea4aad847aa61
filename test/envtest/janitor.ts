import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TemporaryDirectory {
  readonly path: string
  remove(): Promise<void>
}

/**
 * A directory that goes away with this process even when it is killed: a small shell holds the other end of a pipe,
 * reads its end when we are gone and removes what we could not.
 */
export async function temporaryDirectory(prefix: string): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), prefix))
  // The second of waiting lets the components die first; they are killed at the same moment.
  const janitor = spawn('sh', ['-c', 'cat >/dev/null; sleep 1; rm -rf -- "$1"', 'janitor', path], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Its own process group: Ctrl-C in the terminal must not end it before its work.
    detached: true,
  })
  janitor.unref()
  return {
    path,
    async remove() {
      janitor.kill('SIGKILL')
      await rm(path, { recursive: true, force: true })
    },
  }
}
