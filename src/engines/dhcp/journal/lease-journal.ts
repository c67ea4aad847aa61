import type { Problem } from '../../../core/result.ts'
import type { Logger } from '../../../runtime/observe/log.ts'
import type { Lease } from '../leases/lease.ts'
import { CommitQueue, settle } from './commit-queue.ts'
import type { Disk, DiskFile } from './files.ts'
import { encodeCommit } from './format.ts'
import type { LeaseStore } from './lease-store.ts'
import { Rewrite } from './rewrite.ts'

export interface JournalOptions {
  readonly path: string
  readonly disk: Disk
  readonly log: Logger
  /** All leases as they are now. */
  readonly live: () => readonly Lease[]
  /** Told how long each sync took. */
  readonly onSync: (seconds: number) => void
  /** Milliseconds that only grow. */
  readonly monotonicMs: () => number
  readonly retryAfterMs: number
}

/** The journal is rewritten when it has grown to so many times its leases, but not while it is small anyway. */
const growthFactor = 4
const smallRecordCount = 10_000
/**
 * Commits begin this far apart. One costs four times what else is done for a lease, so when leases come faster than this
 * they share; one that comes alone does not wait. A disk that is paid for by the write is asked a hundred times a second.
 */
const shortestPauseMs = 10
/** With so many answers waiting the disk hangs; more would only use up memory, and the clients ask again. */
const longestQueue = 65_536

/**
 * Append, fdatasync, then the answer. While one commit is on its way to the disk the next one gathers.
 *
 * If the disk fails, nothing is known about the file any more: after a failed sync Linux may have dropped the very
 * pages that were not written. So that file is never written again. All leases go to a new one, and until that is in
 * place every change is answered with "not stored".
 */
export class LeaseJournal implements LeaseStore {
  readonly #options: JournalOptions
  readonly #queue = new CommitQueue()
  /** Undefined while nothing can be stored. */
  #file: DiskFile | undefined
  #problem: Problem | undefined
  #recordCount: number
  #rewriteAt: number
  #rewrite: Rewrite | undefined
  #isRewriteReady = false
  /** Asked for while one was running, which may have been too early to have it all. */
  #isAnotherWanted = false
  #isBusy = false
  #lastCommitMs = Number.NEGATIVE_INFINITY
  #work: Promise<void> = Promise.resolve()
  #rewriteWork: Promise<void> = Promise.resolve()
  #retryTimer: NodeJS.Timeout | undefined
  #isClosing = false

  constructor(file: DiskFile, recordCount: number, leaseCount: number, options: JournalOptions) {
    this.#file = file
    this.#recordCount = recordCount
    this.#rewriteAt = Math.max(smallRecordCount, growthFactor * leaseCount)
    this.#options = options
  }

  get problem(): Problem | undefined {
    return this.#problem
  }

  append(changes: readonly Lease[], settled: (stored: boolean) => void): void {
    if (this.#isClosing || this.#queue.length >= longestQueue) {
      settled(false)
      return
    }
    this.#queue.add(changes, settled)
    this.#run()
  }

  rewrite(): void {
    if (this.#isClosing) return
    this.#isAnotherWanted = this.#rewrite !== undefined
    if (this.#isAnotherWanted) return
    this.#rewrite = new Rewrite(this.#options.disk, this.#options.path, this.#options.live())
    this.#rewriteWork = this.#writeBulk(this.#rewrite)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#retryTimer)
    await this.#rewriteWork
    await this.#work
    await this.#rewrite?.abandon()
    await this.#file?.close()
  }

  #run(): void {
    if (this.#isBusy) return
    this.#isBusy = true
    this.#work = this.#commitAll()
  }

  async #commitAll(): Promise<void> {
    // Packets that are in the socket's buffer already are handled first, and share the commit.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#isRewriteReady || this.#queue.length > 0) {
      if (this.#rewrite !== undefined && this.#isRewriteReady) {
        await this.#exchange(this.#rewrite)
        continue
      }
      const earlyMs = this.#lastCommitMs + shortestPauseMs - this.#options.monotonicMs()
      if (earlyMs > 0 && !this.#isClosing) {
        await new Promise((resolve) => setTimeout(resolve, earlyMs))
        continue
      }
      const batch = this.#queue.take()
      if (batch === undefined) break
      this.#lastCommitMs = this.#options.monotonicMs()
      settle(batch, await this.#commit(batch.changes))
      if (this.#hasGrown && this.#rewrite === undefined) this.rewrite()
    }
    this.#isBusy = false
  }

  async #commit(changes: readonly Lease[]): Promise<boolean> {
    this.#rewrite?.note(changes)
    if (this.#file === undefined) return false
    if (changes.length === 0) return true
    try {
      const commit = encodeCommit(changes)
      const startMs = this.#options.monotonicMs()
      await this.#file.commit(commit)
      this.#options.onSync((this.#options.monotonicMs() - startMs) / 1000)
    } catch (error) {
      this.#degrade(error)
      return false
    }
    this.#recordCount += changes.length
    return true
  }

  async #writeBulk(rewrite: Rewrite): Promise<void> {
    try {
      await rewrite.writeBulk()
      this.#isRewriteReady = true
      this.#run()
    } catch (error) {
      await this.#giveUp(rewrite, error)
    }
  }

  /** No commit is under way here, so nothing can fall between the two files. */
  async #exchange(rewrite: Rewrite): Promise<void> {
    this.#isRewriteReady = false
    let next: DiskFile
    try {
      next = await rewrite.writeRest()
    } catch (error) {
      return this.#giveUp(rewrite, error)
    }
    try {
      await rewrite.exchange()
    } catch (error) {
      this.#degrade(error)
      return this.#giveUp(rewrite, error)
    }
    await this.#file?.close().catch(() => undefined)
    this.#file = next
    this.#rewrite = undefined
    this.#recordCount = rewrite.recordCount
    this.#rewriteAt = Math.max(smallRecordCount, growthFactor * rewrite.leaseCount)
    if (this.#problem !== undefined) this.#options.log.info({ path: this.#options.path }, 'leases are stored again')
    this.#problem = undefined
    // Of a slow disk the new file may hold so many changes already that it is long again.
    if (this.#isAnotherWanted || this.#hasGrown) this.rewrite()
  }

  get #hasGrown(): boolean {
    return this.#recordCount > this.#rewriteAt
  }

  async #giveUp(rewrite: Rewrite, error: unknown): Promise<void> {
    await rewrite.abandon()
    this.#rewrite = undefined
    this.#isRewriteReady = false
    if (this.#file === undefined) this.#retryLater()
    else {
      // The old file is as good as before, only longer than it need be.
      this.#rewriteAt = this.#recordCount + smallRecordCount
      this.#options.log.warn({ path: this.#options.path, error: String(error) }, 'lease journal not rewritten')
    }
  }

  #degrade(error: unknown): void {
    const { path, log } = this.#options
    this.#file?.close().catch(() => undefined)
    this.#file = undefined
    this.#problem = {
      reason: 'LeaseStoreDegraded',
      message: `leases cannot be written to ${path} (${error instanceof Error ? error.message : String(error)}), so no address is confirmed until they can: free or mend the disk, oooi tries again by itself`,
    }
    log.error({ path, error: String(error) }, 'leases cannot be stored: no address is confirmed until they can')
    if (this.#rewrite === undefined) this.#retryLater()
  }

  #retryLater(): void {
    clearTimeout(this.#retryTimer)
    if (!this.#isClosing) this.#retryTimer = setTimeout(() => this.rewrite(), this.#options.retryAfterMs)
  }
}
