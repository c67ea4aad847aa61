import { dirname } from 'node:path'
import type { Result } from '../../core/result.ts'
import { readFollowedFile } from './manifest-text.ts'
import { Newest } from './newest.ts'
import type { ResourceSource, SourceEvent } from './source.ts'
import { WatchedDirectory } from './watched-directory.ts'

interface FileSourceOptions<Resource> {
  readonly path: string
  readonly parse: (text: string, file: string) => Result<Resource>
  readonly rereadMs?: number
}

/** A manifest file as a source: read now, and again whenever its content changes. */
export class FileSource<Resource> implements ResourceSource<Resource> {
  readonly #options: FileSourceOptions<Resource>
  readonly #newest = new Newest<Resource>()
  readonly #directory: WatchedDirectory
  /** What was last read, so that a touched but equal file is no event. */
  #last: Result<string> | undefined

  constructor(options: FileSourceOptions<Resource>) {
    this.#options = options
    const { path, rereadMs } = options
    this.#directory = new WatchedDirectory({ path: dirname(path), rereadMs, read: () => this.#read() })
  }

  events(): AsyncIterable<SourceEvent<Resource>> {
    this.#directory.start()
    return this.#newest.events()
  }

  stop(): void {
    this.#directory.stop()
    this.#newest.close()
  }

  async #read(): Promise<void> {
    const read = await readFollowedFile(this.#options.path)
    const isSame = read.ok ? this.#last?.ok && this.#last.value === read.value : this.#last?.ok === false
    this.#last = read
    if (isSame) return
    const result = read.ok ? this.#options.parse(read.value, this.#options.path) : read
    if (result.ok) this.#newest.putObject(result.value)
    else this.#newest.putProblems(result.problems)
  }
}
