import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive, type ProcessIdentity } from './identity.ts'
import { labRoot, ledgerFile, namesIn, removeAll, removeDirectory } from './ledger.ts'
import { ownerSchema, type Thing, thingSchema } from './thing.ts'

/** What a ledger file tells: whose it is, and what was made. */
export interface LedgerContent {
  readonly owner: ProcessIdentity | undefined
  readonly things: readonly Thing[]
}

/** Cleans up after every lab whose owner is dead, and says which. Living labs are left alone. */
export async function removeRemains(now: number, root: string = labRoot): Promise<string[]> {
  const removed: string[] = []
  for (const id of namesIn(root)) {
    const directory = join(root, id)
    const content = readLedger(join(directory, ledgerFile))
    const abandoned = content.owner ? !isAlive(content.owner) : isOlderThanAMinute(directory, now)
    if (!abandoned) continue
    await removeAll(content.things)
    removeDirectory(directory)
    removed.push(id)
  }
  return removed
}

/** Labs whose owner lives. */
export function livingLabs(root: string = labRoot): string[] {
  return namesIn(root).filter((id) => {
    const { owner } = readLedger(join(root, id, ledgerFile))
    return owner !== undefined && isAlive(owner)
  })
}

/** Total: a line that was cut off by the death of its writer is skipped. */
export function parseLedger(text: string): LedgerContent {
  const [header, ...lines] = text.split('\n').map(parseJson)
  return {
    owner: ownerSchema.safeParse(header).data?.owner,
    things: lines.map((line) => thingSchema.safeParse(line).data).filter((thing) => thing !== undefined),
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** A directory without an owner is a lab in its very first moment, or one that was killed in it. */
function isOlderThanAMinute(directory: string, now: number): boolean {
  return now - (statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? now) > 60_000
}

function readLedger(path: string): LedgerContent {
  try {
    return parseLedger(readFileSync(path, 'utf8'))
  } catch {
    return { owner: undefined, things: [] }
  }
}
