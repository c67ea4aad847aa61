import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identify } from './identity.ts'
import { removeNamespaces } from './namespaces.ts'
import { removeThing, type Thing } from './thing.ts'

/** Where labs keep what they own, one directory per run. */
export const labRoot = '/run/oooi-lab'

export const ledgerFile = 'ledger'

/**
 * Everything one lab makes on the host, written to a file before it is made, and taken away in reverse order. The file
 * starts with who owns it, so that the next lab can clean up after one that was killed.
 */
export class Ledger {
  /** `oooi-` and four hexadecimal digits: the first part of every name this lab gives. */
  readonly id: string
  readonly directory: string
  readonly #file: string
  readonly #things: Thing[] = []
  #cleared = false

  private constructor(id: string, directory: string) {
    this.id = id
    this.directory = directory
    this.#file = join(directory, ledgerFile)
  }

  /** A new ledger in a directory of its own. `random` gives numbers from 0 up to 1. */
  static create(random: () => number, root: string = labRoot): Ledger {
    const owner = identify(process.pid)
    if (!owner) throw new Error('this process cannot read its own /proc entry; the lab needs /proc')
    mkdirSync(root, { recursive: true, mode: 0o755 })
    for (;;) {
      const id = `oooi-${Math.floor(random() * 0x10000)
        .toString(16)
        .padStart(4, '0')}`
      const directory = join(root, id)
      if (!makeDirectory(directory)) continue
      const ledger = new Ledger(id, directory)
      writeFileSync(ledger.#file, `${JSON.stringify({ owner })}\n`)
      return ledger
    }
  }

  /** Call it before the thing is made: what is recorded and absent is harmless, the other way round is not. */
  record(thing: Thing): void {
    this.mustBeOpen()
    appendFileSync(this.#file, `${JSON.stringify(thing)}\n`)
    this.#things.push(thing)
  }

  /** Work that was under way when the lab was stopped must not make anything new behind our back. */
  mustBeOpen(): void {
    if (this.#cleared) throw new Error(`lab ${this.id} has ended`)
  }

  /** Takes everything away; may be called again. Throws at the end if something would not go, having tried all. */
  async clear(): Promise<void> {
    this.#cleared = true
    await removeAll(this.#things.splice(0))
    removeDirectory(this.directory)
  }
}

/** The ledger goes last: without it nobody knows whose the rest is. */
export function removeDirectory(directory: string): void {
  for (const name of namesIn(directory)) {
    if (name !== ledgerFile) rmSync(join(directory, name), { recursive: true, force: true })
  }
  rmSync(directory, { recursive: true, force: true })
}

/** None where there is no such directory. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** Last made, first removed. Neighbours of one sort do not depend on each other and go together. */
export async function removeAll(things: readonly Thing[]): Promise<void> {
  const failures: unknown[] = []
  for (const group of groupsOfOneSort(things.toReversed())) {
    const namespaces = group.filter((thing) => thing.kind === 'namespace').map(({ name }) => name)
    const work = namespaces.length > 0 ? [removeNamespaces(namespaces)] : group.map(removeThing)
    const outcomes = await Promise.allSettled(work)
    for (const outcome of outcomes) if (outcome.status === 'rejected') failures.push(outcome.reason)
  }
  if (failures.length > 0) throw new AggregateError(failures, `the lab left something behind: ${failures.join('; ')}`)
}

export function groupsOfOneSort(things: readonly Thing[]): Thing[][] {
  const groups: Thing[][] = []
  for (const thing of things) {
    const last = groups.at(-1)
    if (last?.[0] && sortOf(last[0]) === sortOf(thing)) last.push(thing)
    else groups.push([thing])
  }
  return groups
}

/** A process that is given time to end well stands apart: what it serves must be there until then. */
function sortOf(thing: Thing): string {
  return thing.kind === 'process' && thing.graceMs > 0 ? `${thing.what} ${thing.process.pid}` : thing.kind
}

function makeDirectory(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o755 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
