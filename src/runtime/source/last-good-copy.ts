import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Logger } from '../observe/log.ts'

/**
 * The last object that could be served, on disk: what a process begins with when nobody can tell it a newer one. It is
 * whole or the one before it, whoever is killed when. A disk that fails costs the copy and nothing else.
 */
export class LastGoodCopy {
  readonly #path: string
  readonly #log: Logger
  #stored: string | undefined
  #wanted: string | undefined
  #work: Promise<void> = Promise.resolve()

  constructor(path: string, log: Logger) {
    this.#path = path
    this.#log = log
  }

  /** What was kept, or undefined if there is nothing that can be read. */
  async read(): Promise<unknown> {
    try {
      const text = await readFile(this.#path, 'utf8')
      const value: unknown = JSON.parse(text)
      this.#stored = text
      return value
    } catch (error) {
      const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      if (!isAbsent) this.#log.warn({ path: this.#path, error: String(error) }, 'the copy on disk cannot be used')
      return undefined
    }
  }

  /** Keeps this text from now on. Of several in a row the last one is written. */
  keep(text: string): void {
    this.#wanted = text
    this.#work = this.#work.then(() => this.#write())
  }

  /** Resolves when what was to be kept is on disk, or has failed. */
  settled(): Promise<void> {
    return this.#work
  }

  async #write(): Promise<void> {
    const text = this.#wanted
    if (text === undefined || text === this.#stored) return
    try {
      await replaceFile(this.#path, text)
      this.#stored = text
    } catch (error) {
      this.#log.warn({ path: this.#path, error: String(error) }, 'the last good object could not be kept on disk')
    }
  }
}

/** The file is on stable storage before it takes the name, and the name before this returns. */
async function replaceFile(path: string, text: string): Promise<void> {
  const directory = dirname(path)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const unfinished = `${path}.unfinished`
  const file = await open(unfinished, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
  const parent = await open(directory, 'r')
  try {
    await parent.sync()
  } finally {
    await parent.close()
  }
}
