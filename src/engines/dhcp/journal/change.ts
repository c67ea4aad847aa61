import { pino } from 'pino'
import { failed, ok, type Result } from '../../../core/result.ts'
import type { Lease } from '../leases/lease.ts'
import { LeaseTable } from '../leases/lease-table.ts'
import { realDisk } from './files.ts'
import { journalPath, openLeaseStore } from './open.ts'

/**
 * Changes the leases of a server that does not run. What `change` returns is written as one commit, all of it or, after
 * a crash in the middle, nothing. Returns how many leases were written.
 */
export async function changeLeases(
  stateDir: string,
  nowMs: number,
  change: (table: LeaseTable) => Result<readonly Lease[]>,
): Promise<Result<number>> {
  const table = new LeaseTable()
  const opened = await openLeaseStore(stateDir, {
    disk: realDisk,
    log: pino({ level: 'silent' }),
    live: () => table.all(),
    onSync: () => undefined,
    monotonicMs: () => performance.now(),
    retryAfterMs: 1000,
  })
  if (!opened.ok) return opened
  const { store, leases } = opened.value
  try {
    for (const lease of leases) table.put(lease)
    table.sweep(nowMs)
    const changed = change(table)
    if (!changed.ok) return changed
    const isStored = await new Promise<boolean>((resolve) => store.append(changed.value, resolve))
    if (isStored) return ok(changed.value.length)
    const message = `leases cannot be written to ${journalPath(stateDir)}`
    return failed(store.problem ?? { reason: 'StateDirUnusable', message })
  } finally {
    await store.close()
  }
}
