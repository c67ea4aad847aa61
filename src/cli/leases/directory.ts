import { existsSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { failed, ok, type Result } from '../../core/result.ts'
import { journalPath } from '../../engines/dhcp/journal/open.ts'

/** Somebody's leases are kept there. A directory that is misspelt, or one too high, must not look like one without leases. */
export async function checkLeaseDirectory(stateDir: string): Promise<Result<void>> {
  if (!statSync(stateDir, { throwIfNoEntry: false })?.isDirectory()) {
    return refused(`there is no state directory ${stateDir}: name the one that oooi uses with --state-dir`)
  }
  if (existsSync(journalPath(stateDir))) return ok()
  const infras = (await readdir(stateDir)).filter((name) => existsSync(journalPath(join(stateDir, name)))).toSorted()
  if (infras.length === 0) return ok()
  const each = infras.map((name) => join(stateDir, name)).join(', ')
  return refused(
    `${stateDir} has no leases itself, each of its Infras has its own: name one of ${each} with --state-dir`,
  )
}

function refused(message: string): Result<never> {
  return failed({ reason: 'StateDirUnusable', message })
}
