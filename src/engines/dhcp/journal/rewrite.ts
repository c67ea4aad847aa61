import type { Lease } from '../leases/lease.ts'
import type { Disk, DiskFile } from './files.ts'
import { encodeCommit, header } from './format.ts'

/** So many leases are encoded at a stretch: about a millisecond, during which no packet is answered. */
const leasesPerStep = 500

/**
 * A new journal that will take the place of the old one. The bulk is written beside the running service; what changes
 * meanwhile is noted, and added in the moment of the exchange.
 */
export class Rewrite {
  readonly #disk: Disk
  readonly #path: string
  readonly #leases: readonly Lease[]
  readonly #changes: Lease[] = []
  #file: DiskFile | undefined

  constructor(disk: Disk, path: string, leases: readonly Lease[]) {
    this.#disk = disk
    this.#path = path
    this.#leases = leases
  }

  get leaseCount(): number {
    return this.#leases.length
  }

  get recordCount(): number {
    return this.#leases.length + this.#changes.length
  }

  note(changes: readonly Lease[]): void {
    for (const change of changes) this.#changes.push(change)
  }

  /** Throws what the disk throws. */
  async writeBulk(): Promise<void> {
    this.#file = await this.#disk.create(this.#newPath)
    await this.#file.append(Buffer.from(header))
    for (let start = 0; start < this.#leases.length; start += leasesPerStep) {
      await this.#file.append(encodeCommit(this.#leases.slice(start, start + leasesPerStep)))
    }
    await this.#file.sync()
  }

  /** The rest, and all of it on stable storage; the old journal is still in its place. */
  async writeRest(): Promise<DiskFile> {
    if (this.#file === undefined) throw new Error('the bulk comes before the rest')
    if (this.#changes.length > 0) await this.#file.append(encodeCommit(this.#changes))
    await this.#file.sync()
    return this.#file
  }

  /** If this fails, either journal may be the one in place. */
  exchange(): Promise<void> {
    return this.#disk.replace(this.#newPath, this.#path)
  }

  /** Never fails: what is left behind is overwritten by the next one. */
  async abandon(): Promise<void> {
    await this.#file?.close().catch(() => undefined)
    await this.#disk.remove(this.#newPath).catch(() => undefined)
  }

  get #newPath(): string {
    return `${this.#path}.new`
  }
}
