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
  close(): Promise<void>
}

const ownerOnly = 0o600

export const realDisk: Disk = {
  async create(path) {
    return new AppendOnlyFile(await open(path, 'w', ownerOnly), 0)
  },

  async openAt(path, length) {
    const handle = await open(path, 'r+')
    const { size } = await handle.stat()
    if (size > length) {
      await handle.truncate(length)
      await handle.sync()
    }
    return new AppendOnlyFile(handle, length)
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

class AppendOnlyFile implements DiskFile {
  readonly #handle: FileHandle
  #length: number

  constructor(handle: FileHandle, length: number) {
    this.#handle = handle
    this.#length = length
  }

  async append(bytes: Buffer): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, written, bytes.length - written, this.#length)
      written += bytesWritten
      this.#length += bytesWritten
    }
  }

  sync(): Promise<void> {
    return this.#handle.datasync()
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}
