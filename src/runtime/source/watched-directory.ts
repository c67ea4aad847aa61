import { type FSWatcher, watch } from 'node:fs'

interface WatchedDirectoryOptions {
  readonly path: string
  /** Reads it; told that something may have changed, never twice at a time. */
  readonly read: () => Promise<void>
  /** Read anyway after this time: a rename two directories up, or a network file system, tells nobody. */
  readonly rereadMs?: number | undefined
}

/** Editors write, truncate and rename within a few milliseconds; one reading after the last of it is enough. */
const settleMs = 30

/**
 * When to read a directory or a file in it: now, and whenever something changes there. Directories are watched, not
 * files: a rename over a file would leave the watcher on the old inode.
 */
export class WatchedDirectory {
  readonly #options: WatchedDirectoryOptions
  #watcher: FSWatcher | undefined
  #interval: NodeJS.Timeout | undefined
  #settle: NodeJS.Timeout | undefined
  #readings: Promise<void> = Promise.resolve()

  constructor(options: WatchedDirectoryOptions) {
    this.#options = options
  }

  start(): void {
    try {
      this.#watcher = watch(this.#options.path, () => this.#changed())
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // No directory: the first reading says so in a sentence.
    }
    this.#interval = setInterval(() => this.#readSoon(), this.#options.rereadMs ?? 5000)
    this.#readSoon()
  }

  stop(): void {
    this.#watcher?.close()
    clearInterval(this.#interval)
    clearTimeout(this.#settle)
  }

  #changed(): void {
    clearTimeout(this.#settle)
    this.#settle = setTimeout(() => this.#readSoon(), settleMs)
  }

  /** Readings never overlap, so that an older content cannot arrive after a newer one. */
  #readSoon(): void {
    this.#readings = this.#readings.then(() => this.#options.read())
  }
}
