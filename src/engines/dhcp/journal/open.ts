import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failed, ok, type Problem, type Result } from '../../../core/result.ts'
import { type DirectoryLock, lockDirectory, type RequestHandler } from '../../../runtime/host/directory-lock.ts'
import { whyUnusable } from '../../../runtime/host/why-unusable.ts'
import type { Lease } from '../leases/lease.ts'
import { type LeaseRecord, toRecord } from '../leases/lease-record.ts'
import { LeaseTable } from '../leases/lease-table.ts'
import type { DiskFile } from './files.ts'
import { formatVersion, parseJournal } from './format.ts'
import { type JournalOptions, LeaseJournal } from './lease-journal.ts'
import type { LeaseStore } from './lease-store.ts'
import { Rewrite } from './rewrite.ts'

/** Who has this in a state directory may write its journal, and is asked for changes of it. */
export const leasesLock = 'leases.lock'

export function journalPath(stateDir: string): string {
  return join(stateDir, 'leases.journal')
}

export interface OpenedStore {
  readonly store: LeaseStore
  /** In the order they were written: later ones win. */
  readonly leases: readonly Lease[]
}

interface StoreOptions extends Omit<JournalOptions, 'path'> {
  readonly onRequest?: RequestHandler
}

/** Takes the directory, reads its journal and goes on writing it; or says why not, having changed nothing. */
export async function openLeaseStore(stateDir: string, options: StoreOptions): Promise<Result<OpenedStore>> {
  const path = journalPath(stateDir)
  let lock: DirectoryLock | undefined
  try {
    await mkdir(stateDir, { recursive: true, mode: 0o700 })
    lock = await lockDirectory(stateDir, leasesLock, options.onRequest)
    if (lock === undefined) return failed(inUse(stateDir))
    const read = await readJournal(path)
    if (!read.ok) {
      await lock.release()
      return read
    }
    const { leases, length, tornBytes } = read.value
    if (tornBytes > 0) options.log.warn({ path, tornBytes }, 'the last commit was not finished and is dropped')
    const file = length === 0 ? await newJournal(path, options) : await options.disk.openAt(path, length)
    const leaseCount = new Set(leases.map((lease) => lease.address)).size
    const journal = new LeaseJournal(file, leases.length, leaseCount, { ...options, path })
    return ok({ store: locked(journal, lock), leases })
  } catch (error) {
    await lock?.release()
    return failed(unusable(stateDir, error))
  }
}

/** The leases of a journal as they are on disk. Changes nothing, and works while a server writes there. */
export async function readLeases(path: string, nowMs: number): Promise<Result<readonly LeaseRecord[]>> {
  try {
    const read = await readJournal(path)
    if (!read.ok) return read
    const table = new LeaseTable()
    for (const lease of read.value.leases) table.put(lease)
    table.sweep(nowMs)
    return ok(table.all().map(toRecord))
  } catch (error) {
    return failed(unusable(path, error))
  }
}

interface ReadJournal {
  readonly leases: readonly Lease[]
  /** Bytes up to the end of the last whole commit; 0 if there is no journal yet. */
  readonly length: number
  readonly tornBytes: number
}

async function readJournal(path: string): Promise<Result<ReadJournal>> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  })
  if (bytes.length === 0) return ok({ leases: [], length: 0, tornBytes: 0 })
  const parsed = parseJournal(bytes)
  switch (parsed.kind) {
    case 'leases':
      return ok({ ...parsed, tornBytes: bytes.length - parsed.length })
    case 'newer':
      return failed({
        reason: 'LeaseJournalTooNew',
        message: `${path} is a lease journal of version ${parsed.version}, and this oooi reads up to version ${formatVersion}: run the newer oooi that wrote it, or move the file away to start without leases`,
      })
    case 'damaged':
      return failed(damaged(path, `line ${parsed.line} does not match its checksum, and whole lines follow it`))
    case 'foreign':
      return failed(damaged(path, 'its first line is not that of a lease journal'))
  }
}

async function newJournal(path: string, options: StoreOptions): Promise<DiskFile> {
  const rewrite = new Rewrite(options.disk, path, [])
  await rewrite.writeBulk()
  const file = await rewrite.writeRest()
  await rewrite.exchange()
  return file
}

function locked(journal: LeaseJournal, lock: DirectoryLock): LeaseStore {
  return {
    append: (changes, settled) => journal.append(changes, settled),
    rewrite: () => journal.rewrite(),
    get problem() {
      return journal.problem
    },
    async close() {
      await journal.close()
      await lock.release()
    },
  }
}

function inUse(stateDir: string): Problem {
  return {
    reason: 'StateDirInUse',
    message: `another oooi process keeps its leases in ${stateDir}: stop it, or give this one its own --state-dir`,
  }
}

function unusable(place: string, error: unknown): Problem {
  return { reason: 'StateDirUnusable', message: `leases cannot be kept in ${place}: ${whyUnusable(error)}` }
}

function damaged(path: string, how: string): Problem {
  return {
    reason: 'LeaseJournalDamaged',
    message: `${path} is damaged: ${how}. No address is given on a guess: restore the file, or move it away to start without leases`,
  }
}
