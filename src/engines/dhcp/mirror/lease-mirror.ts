import type { Result } from '../../../core/result.ts'
import type { LeaseStore } from '../journal/lease-store.ts'
import { type LeaseRecord, toRecord } from '../leases/lease-record.ts'

/** A second home of the leases, where they outlive the disk. What is there may be behind; it catches up by itself. */
export interface LeaseMirror {
  /** What is kept there. A failure means that nobody may be served: leases could be given out that others hold. */
  load(): Promise<Result<readonly LeaseRecord[]>>
  /** All that was loaded is on this disk too. */
  adopted(): void
  /** Keep these as well. What is returned is worth waiting for before the client is told; it never takes long. */
  keep(records: readonly LeaseRecord[]): Promise<void> | undefined
}

/** The journal is written and the mirror told at the same time; who waits for the journal waits for both. */
export function mirroredStore(store: LeaseStore, mirror: LeaseMirror): LeaseStore {
  return {
    append(changes, settled) {
      const kept = changes.length === 0 ? undefined : mirror.keep(changes.map(toRecord))
      store.append(changes, (isStored) => {
        if (!isStored || kept === undefined) settled(isStored)
        else void kept.then(() => settled(true))
      })
    },
    rewrite: () => store.rewrite(),
    get problem() {
      return store.problem
    },
    close: () => store.close(),
  }
}
