import { once } from 'node:events'
import type { OwnedOptions } from '../../lab/owned.ts'
import { exitCode } from '../exit.ts'
import type { Terminal } from '../terminal.ts'
import { LabProgress } from './progress.ts'

/** What `lab` and `lab-cluster` have in common: progress for people, an end on Ctrl-C, one sentence for a failure. */
export async function runLab(
  terminal: Terminal,
  json: boolean,
  work: (options: OwnedOptions) => Promise<void>,
): Promise<void> {
  const progress = new LabProgress(
    (text) => void (json ? terminal.stderr : terminal.stdout).write(text),
    () => performance.now(),
  )
  const { stop } = terminal
  stop.addEventListener('abort', () => terminal.stderr.write('stopping, cleaning up ...\n'), { once: true })
  try {
    await work({ onEvent: progress.show, stop })
  } catch (error) {
    terminal.exitCode = exitCode.failed
    // Stopped by the user: that is no mistake, but neither did every VM boot.
    if (!stop.aborted) terminal.stderr.write(`oooi: ${error instanceof Error ? error.message : String(error)}\n`)
  } finally {
    progress.end()
  }
}

export async function untilStopped(terminal: Terminal): Promise<void> {
  if (!terminal.stop.aborted) await once(terminal.stop, 'abort')
}
