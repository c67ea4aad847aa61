import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'
import { whyUnreadable } from '../host/why-unreadable.ts'
import { readFollowedFile } from './manifest-text.ts'
import { Newest } from './newest.ts'
import type { ResourceSource, SourceEvent } from './source.ts'
import { WatchedDirectory } from './watched-directory.ts'

/** One file of a directory and what it holds. */
export interface DirectoryEntry<Resource> {
  readonly file: string
  readonly content: Result<Resource>
}

interface DirectorySourceOptions<Resource> {
  readonly path: string
  readonly parse: (text: string, file: string) => Result<Resource>
  readonly rereadMs?: number
  /** A file is gone when it is missing this long. */
  readonly goneMs?: number
}

const usualGoneMs = 1000

const isManifest = /^[^.].*\.(ya?ml|json)$/

/**
 * All manifests of a directory as one object: a list in the order of their names, told again when any of them changes,
 * comes or goes. A file that cannot be read is an entry with its problems and takes nothing from the others.
 */
export class DirectorySource<Resource> implements ResourceSource<readonly DirectoryEntry<Resource>[]> {
  readonly #options: DirectorySourceOptions<Resource>
  readonly #newest = new Newest<readonly DirectoryEntry<Resource>[]>()
  readonly #directory: WatchedDirectory
  #last: string | undefined
  #files: ReadonlySet<string> = new Set()

  constructor(options: DirectorySourceOptions<Resource>) {
    this.#options = options
    const { path, rereadMs } = options
    this.#directory = new WatchedDirectory({ path, rereadMs, read: () => this.#read() })
  }

  events(): AsyncIterable<SourceEvent<readonly DirectoryEntry<Resource>[]>> {
    this.#directory.start()
    return this.#newest.events()
  }

  stop(): void {
    this.#directory.stop()
    this.#newest.close()
  }

  async #read(): Promise<void> {
    const found = await this.#settled()
    const now = JSON.stringify(found)
    if (now === this.#last) return
    this.#last = now
    if (!found.ok) return this.#newest.putProblems(found.problems)
    this.#files = filesOf(found)
    this.#newest.putObject(
      found.value.map(({ file, text }) => ({
        file,
        content: text.ok ? this.#options.parse(text.value, file) : text,
      })),
    )
  }

  /** Some editors move a file away before they write the new one: who is gone is looked for a second time. */
  async #settled(): ReturnType<typeof readDirectory> {
    const found = await readDirectory(this.#options.path)
    const files = filesOf(found)
    if ([...this.#files].every((file) => files.has(file))) return found
    await sleep(this.#options.goneMs ?? usualGoneMs, undefined, { ref: false })
    return readDirectory(this.#options.path)
  }
}

function filesOf(found: Awaited<ReturnType<typeof readDirectory>>): ReadonlySet<string> {
  return new Set(found.ok ? found.value.map(({ file }) => file) : [])
}

/** The manifests of a directory; a directory without any is a mistake, not an empty wish. */
export async function readDirectory(path: string): Promise<Result<{ file: string; text: Result<string> }[]>> {
  let names: string[]
  try {
    names = await readdir(path)
  } catch (error) {
    return failed(unreadable(`cannot read the directory ${path}: ${whyUnreadable(error)}`))
  }
  const files = names.filter((name) => isManifest.test(name)).toSorted()
  if (files.length === 0) return failed(unreadable(`${path} holds no manifest: no file ends in .yaml, .yml or .json`))
  const entries = await Promise.all(files.map((name) => readEntry(join(path, name))))
  return ok(entries.flat())
}

/** A file that was taken away meanwhile is none. */
async function readEntry(file: string): Promise<{ file: string; text: Result<string> }[]> {
  const text = await readFollowedFile(file)
  const isThere = text.ok || (await lstat(file).catch(() => undefined)) !== undefined
  return isThere ? [{ file, text }] : []
}

function unreadable(message: string): Problem {
  return { reason: 'FileUnreadable', message }
}
