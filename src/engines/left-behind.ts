import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program that oooi started, so that a later oooi knows it by more than a number that another process may have by then. */
interface Note {
  readonly pid: number
  readonly command: readonly string[]
}

const patienceMs = 2000

/** Notes what runs, for whoever comes after an oooi that was killed. */
export async function noteProgram(file: string, pid: number, command: readonly string[]): Promise<void> {
  const note: Note = { pid, command }
  await writeFile(file, JSON.stringify(note))
}

/** Ends the program that is noted there, if it still runs. */
export async function endLeftBehind(file: string): Promise<void> {
  const note = await readNote(file)
  if (note === undefined || !(await runs(note))) return
  signal(note.pid, 'SIGTERM')
  for (const deadlineMs = performance.now() + patienceMs; performance.now() < deadlineMs; ) {
    if (!(await runs(note))) return
    await sleep(20)
  }
  signal(note.pid, 'SIGKILL')
}

async function readNote(file: string): Promise<Note | undefined> {
  try {
    const note: unknown = JSON.parse(await readFile(file, 'utf8'))
    return isNote(note) ? note : undefined
  } catch {
    // None was written, or not to its end: then nothing is known of a program.
    return undefined
  }
}

function isNote(value: unknown): value is Note {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('command' in value)) return false
  return Number.isInteger(value.pid) && Number(value.pid) > 1 && Array.isArray(value.command)
}

async function runs({ pid, command }: Note): Promise<boolean> {
  const started = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return started === command.map((word) => `${word}\0`).join('')
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile, or belongs to another user, who then has to end it.
  }
}
