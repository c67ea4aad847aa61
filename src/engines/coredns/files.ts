import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CorednsFiles, ServedZone } from '../../core/coredns/corefile.ts'
import { withRevision } from '../../core/coredns/revision.ts'

/** What CoreDNS has to say when it has read the files. */
export interface WrittenFiles {
  readonly revision: string
  readonly zones: readonly WrittenZone[]
}

export interface WrittenZone extends Pick<ServedZone, 'view' | 'apex'> {
  readonly serial: number
}

const corefileName = 'Corefile'

/**
 * The directory that CoreDNS reads. A file is written only if it has to say something else than what is there: a
 * Corefile that changes costs CoreDNS its cache, a zone that changes only itself.
 */
export class ConfigurationFiles {
  readonly directory: string
  readonly #now: () => number

  constructor(directory: string, now: () => number) {
    this.directory = directory
    this.#now = now
  }

  get corefile(): string {
    return join(this.directory, corefileName)
  }

  async write({ corefile, zones }: CorednsFiles, port: number): Promise<WrittenFiles> {
    await mkdir(this.directory, { recursive: true })
    const written: WrittenZone[] = []
    for (const zone of zones) {
      written.push({ view: zone.view, apex: zone.apex, serial: await this.#writeZone(zone) })
    }
    const revision = createHash('sha256').update(corefile).digest('hex').slice(0, 16)
    // Last: it names the zones' files, which have to be there.
    await this.#writeIfOther(corefileName, withRevision(corefile, port, revision))
    return { revision, zones: written }
  }

  /** Once CoreDNS has the new Corefile, nobody reads the zones that only the old one named. */
  async removeAllBut(zones: readonly ServedZone[]): Promise<void> {
    const wanted = new Set(zones.map(({ file }) => file))
    for (const file of await readdir(this.directory)) {
      if (file.startsWith('db.') && !wanted.has(file)) await rm(join(this.directory, file))
    }
  }

  async #writeZone({ file, text }: ServedZone): Promise<number> {
    const present = await this.#read(file)
    const known = Number(/ IN SOA \S+ \S+ (\d+) /.exec(present ?? '')?.[1] ?? 0)
    if (present === text(known)) return known
    const serial = Math.max(known + 1, Math.floor(this.#now() / 1000))
    await this.#replace(file, text(serial))
    return serial
  }

  async #writeIfOther(file: string, text: string): Promise<void> {
    if ((await this.#read(file)) !== text) await this.#replace(file, text)
  }

  async #read(file: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.directory, file), 'utf8')
    } catch {
      return undefined
    }
  }

  /** In one step: CoreDNS may be reading at any time. The name is one that its pattern for Corefiles does not match. */
  async #replace(file: string, text: string): Promise<void> {
    const beside = join(this.directory, `.${file}`)
    await writeFile(beside, text)
    await rename(beside, join(this.directory, file))
  }
}
