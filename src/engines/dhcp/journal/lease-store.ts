import type { Problem } from '../../../core/result.ts'
import type { Lease } from '../leases/lease.ts'

/** Where leases survive the process. */
export interface LeaseStore {
  /**
   * Write these changes after all earlier ones. `settled(true)` is called when they and everything before them are on
   * stable storage; `settled(false)` when that cannot be promised. With no changes it only waits for earlier ones.
   */
  append(changes: readonly Lease[], settled: (stored: boolean) => void): void
  /** Write all leases anew, e.g. because their times were corrected. */
  rewrite(): void
  /** What is wrong, while nothing can be stored. */
  readonly problem: Problem | undefined
  /** Write what is waiting, then let go of the files. */
  close(): Promise<void>
}
