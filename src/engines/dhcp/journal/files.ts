import { constants, write } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** What the journal asks of a disk; a test puts one in its place that fails. */
export interface Disk {
  /** A new, empty file, in place of whatever had that name. */
  create(path: string): Promise<DiskFile>
  /** An existing file, to be written on at its end, cut to `length` first. */
  openAt(path: string, length: number): Promise<DiskFile>
  /** Put a finished file in the place of another, so that after a crash there is the one or the other. */
  replace(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
}

export interface DiskFile {
  append(bytes: Buffer): Promise<void>
  /** All that was appended is on the disk itself when this ends. */
  sync(): Promise<void>
  /** Both at once, for a single piece that somebody waits for. What was appended before it must be synced already. */
  commit(bytes: Buffer): Promise<void>
  close(): Promise<void>
}

const ownerOnly = 0o600

export const realDisk: Disk = {
  async create(path) {
    return AppendOnlyFile.over(await open(path, 'w', ownerOnly), path, 0)
  },

  async openAt(path, length) {
    const handle = await open(path, 'r+')
    const { size } = await handle.stat()
    if (size > length) {
      await handle.truncate(length)
      await handle.sync()
    }
    return AppendOnlyFile.over(handle, path, length)
  },

  async replace(from, to) {
    await rename(from, to)
    const directory = await open(dirname(to), 'r')
    try {
      await directory.sync()
    } finally {
      await directory.close()
    }
  },

  remove(path) {
    return rm(path, { force: true })
  },
}

/**
 * Open twice: `durable` with O_DSYNC, which makes of write and fdatasync one call. That halves what a commit costs, as
 * each call is a trip to another thread and back.
 */
class AppendOnlyFile implements DiskFile {
  readonly #handle: FileHandle
  readonly #durable: FileHandle
  #length: number

  private constructor(handle: FileHandle, durable: FileHandle, length: number) {
    this.#handle = handle
    this.#durable = durable
    this.#length = length
  }

  static async over(handle: FileHandle, path: string, length: number): Promise<AppendOnlyFile> {
    try {
      return new AppendOnlyFile(handle, await open(path, constants.O_WRONLY | constants.O_DSYNC), length)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  append(bytes: Buffer): Promise<void> {
    return this.#write(this.#handle, bytes)
  }

  sync(): Promise<void> {
    return this.#handle.datasync()
  }

  commit(bytes: Buffer): Promise<void> {
    return this.#write(this.#durable, bytes)
  }

  async close(): Promise<void> {
    await this.#durable.close()
    await this.#handle.close()
  }

  async #write({ fd }: FileHandle, bytes: Buffer): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      const count = await writeAt(fd, bytes, written, this.#length)
      written += count
      this.#length += count
    }
  }
}

/** With a callback: the FileHandle's own way costs several promises more, for each commit. */
function writeAt(fd: number, bytes: Buffer, from: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, from, bytes.length - from, position, (error, count) => (error ? reject(error) : resolve(count)))
  })
}
