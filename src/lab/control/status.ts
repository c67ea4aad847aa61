import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { toolPath } from '../host/command.ts'
import type { Said } from './look.ts'

const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'oooi')

/** What `oooi status` prints, word for word. */
export function standaloneStatus(stateDir: string): Promise<Said> {
  return new Promise((resolve) => {
    execFile(
      program,
      ['status', '--state-dir', stateDir],
      { encoding: 'utf8', env: { PATH: toolPath } },
      (error, stdout, stderr) =>
        resolve({
          ready: error === null,
          troubled: error !== null,
          lines: `${stdout}${stderr}`.split('\n').filter((line) => line !== ''),
        }),
    )
  })
}
