import { type FSWatcher, watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { failed, type Result } from '../../core/result.ts'
import { Newest } from './newest.ts'
import type { ResourceSource, SourceEvent } from './source.ts'

interface FileSourceOptions<Resource> {
  readonly path: string
  readonly parse: (text: string, file: string) => Result<Resource>
  /** Read anyway after this time: a rename two directories up, or a network file system, tells nobody. */
  readonly rereadMs?: number
}

/** Editors write, truncate and rename within a few milliseconds; one reading after the last of it is enough. */
const settleMs = 30

/** A manifest file as a source: read now, and again whenever its content changes. */
export class FileSource<Resource> implements ResourceSource<Resource> {
  readonly #options: FileSourceOptions<Resource>
  readonly #newest = new Newest<Resource>()
  #watcher: FSWatcher | undefined
  #interval: NodeJS.Timeout | undefined
  #settle: NodeJS.Timeout | undefined
  /** What was last read, so that a touched but equal file is no event; undefined when it could not be read. */
  #content: string | undefined
  #readings: Promise<void> = Promise.resolve()

  constructor(options: FileSourceOptions<Resource>) {
    this.#options = options
  }

  events(): AsyncIterable<SourceEvent<Resource>> {
    // The directory is watched, not the file: a rename over it would leave the watcher on the old inode.
    try {
      this.#watcher = watch(dirname(this.#options.path), () => this.#changed())
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // No directory: the first reading says so in a sentence.
    }
    this.#interval = setInterval(() => this.#readSoon(), this.#options.rereadMs ?? 5000)
    this.#readings = this.#read(true)
    return this.#newest.events()
  }

  stop(): void {
    this.#watcher?.close()
    clearInterval(this.#interval)
    clearTimeout(this.#settle)
    this.#newest.close()
  }

  #changed(): void {
    clearTimeout(this.#settle)
    this.#settle = setTimeout(() => this.#readSoon(), settleMs)
  }

  /** Readings never overlap, so that an older content cannot arrive after a newer one. */
  #readSoon(): void {
    this.#readings = this.#readings.then(() => this.#read(false))
  }

  async #read(isFirst: boolean): Promise<void> {
    const read = await readManifestFile(this.#options.path)
    const content = read.ok ? read.value : undefined
    if (!isFirst && content === this.#content) return
    this.#content = content
    const result = read.ok ? this.#options.parse(read.value, this.#options.path) : read
    if (result.ok) this.#newest.putObject(result.value)
    else this.#newest.putProblems(result.problems)
  }
}

/** The text of a manifest file, or one sentence that says why not. */
export async function readManifestFile(path: string): Promise<Result<string>> {
  try {
    return { ok: true, value: await readFile(path, 'utf8') }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return failed({ reason: 'FileUnreadable', message: `cannot read ${path}: ${whyUnreadable(code)}` })
  }
}

function whyUnreadable(code: string): string {
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EACCES') return 'this user may not read it'
  if (code === 'EISDIR') return 'it is a directory'
  return code
}
